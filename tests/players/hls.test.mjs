// hls.js, the player that most pages embed. Started by scripts/players.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser } from './browser.mjs'
import { isSmooth, isWhole } from './checks.mjs'
import { clips } from './clips.mjs'
import { parse } from './parse.mjs'

/** Not every frame can be shown at this rate, but each one is decoded. */
const FAST = 8
let browser
before(async () => (browser = await openBrowser()))
after(() => browser?.close())

for (const [name, clip] of Object.entries(clips)) {
  for (const [index, size] of (clip.levels.length > 0 ? clip.levels : [undefined]).entries()) {
    test(`${name} plays from the beginning to the end${size ? ` with ${size.width}x${size.height}` : ''}`, async () => {
      const played = await browser.call('level', clip.master, index, FAST)
      isSmooth(played, clip)
      isWhole(played, clip)
      assert.equal(played.decoded, clip.times.length, 'frames')
      const main = played.fetched.filter((segment) => segment.kind === 'main').map((segment) => segment.url)
      assert.deepEqual(main, played.segments, 'each segment once, in order')
      if (!size) return
      assert.deepEqual(played.levels, clip.levels)
      assert.equal(played.frames[0].time, 0)
      for (const { width, height } of played.frames) assert.deepEqual({ width, height }, size)
    })
  }
}

test('levels change while it plays, without a stall', async () => {
  const clip = clips.encoded
  const played = await browser.call('switching', clip.master, 2)
  isSmooth(played, clip)
  // hls.js drops what lies behind when it changes.
  isWhole(played, clip, played.buffered[0][0])
  assert.ok(new Set(played.frames.map((frame) => frame.height)).size > 1, 'levels have changed')
})

// hls.js 1.7 reads composition offsets but no edit list: to it, every picture comes later, by as much as the edit list
// takes back. Back on a level it fetches a segment again that it has, and notes that nothing was added.
test('a level taken up again has no second fetch', async () => {
  const played = await browser.call('returning', clips.encoded.master, [0, 2, 0])
  assert.deepEqual(played.errors, [])
  assert.equal(played.fetched.filter((segment) => segment.kind === 'main').length, 3)
})

// All six changes between three levels.
for (const order of [[0, 1, 2], [2, 1, 0], [0, 2, 0]]) {
  test(`segments of the levels ${order.join(', ')} join without a gap`, async () => {
    const clip = clips.encoded
    const { variants } = await parse(clip.master)
    const levels = await Promise.all(variants.reverse().map(({ uri }) => segments(new URL(uri, clip.master))))
    const files = order.flatMap((level, n) => levels[level][n])
    const played = await browser.call('borders', 'avc1.64001f', files, [6, 12])
    isSmooth(played, clip)
    isWhole(played, clip)
    const heights = new Set(played.frames.filter((frame) => frame.time > 1).map((frame) => frame.height))
    assert.deepEqual(heights, new Set(order.map((level) => clip.levels[level].height)))
  })
}

/** For each segment of a playlist the addresses of its init segment and of itself. */
async function segments(url) {
  const { segments } = await parse(url)
  return segments.map(({ map, uri }) => [new URL(map.uri, url).href, new URL(uri, url).href])
}

for (const name of ['encoded', 'copied']) {
  test(`a seek to the middle of ${name} plays from there`, async () => {
    const clip = clips[name]
    const middle = clip.duration / 2
    const played = await browser.call('seek', clip.master, middle)
    isSmooth(played, clip)
    const first = played.frames.find((frame) => frame.time > middle - 1).time
    assert.ok(Math.abs(first - middle) <= clip.frame + 0.001, `the first frame is of ${first} s instead of ${middle}`)
  })
}

test('surround is fetched with the quality that has it, and stereo with the other', async () => {
  const { variants } = await parse(clips.surround.master)
  assert.deepEqual(variants.map(({ audio }) => audio.map(({ channels }) => channels)), [['2'], ['6']])
  for (const [index, track] of [[0, 'audio0'], [1, 'audio0surround']]) {
    const played = await browser.call('level', clips.surround.master, index, FAST)
    const heard = new Set(played.fetched.filter(({ kind }) => kind === 'audio').map(({ url }) => url.split('/').at(-2)))
    assert.deepEqual(heard, new Set([track]))
  }
})

test('languages and subtitles are offered, and arrive', async () => {
  const played = await browser.call('tracks', clips.variable.master)
  isSmooth(played, clips.variable)
  assert.deepEqual(played.audio, ['en, default', 'de'])
  assert.deepEqual(played.subtitles, ['de'])
  assert.deepEqual(played.cues, [[1, 3, 'Guten Tag'], [6.5, 8, 'Auf Wiedersehen']])
  assert.ok(played.fetched.some((segment) => segment.url.includes('/audio1/')), 'the other sound was fetched')
})
