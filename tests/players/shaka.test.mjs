// Shaka Player, whose parser and buffer are its own. Started by scripts/players.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser } from './browser.mjs'
import { isSmooth, isWhole } from './checks.mjs'
import { clips } from './clips.mjs'

let browser
before(async () => (browser = await openBrowser()))
after(() => browser?.close())

for (const name of ['encoded', 'copied', 'variable']) {
  test(`${name} plays from the beginning to the end`, async () => {
    const clip = clips[name]
    const played = await browser.call('shakaPlayer', clip.master, 4)
    isSmooth(played, clip)
    isWhole(played, clip)
    assert.equal(played.gapsJumped, 0)
    assert.equal(played.decoded, clip.times.length, 'frames')
    const heights = new Set(played.variants.map((variant) => variant.height))
    assert.deepEqual(heights, new Set(clip.levels.map((level) => level.height)))
  })
}
