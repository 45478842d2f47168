// The player of the browser itself, for a playback URL in the address bar. Started by scripts/players.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser } from './browser.mjs'
import { clips } from './clips.mjs'

let browser
before(async () => (browser = await openBrowser()))
after(() => browser?.close())

for (const name of ['encoded', 'copied', 'sound']) {
  test(`the playback URL of ${name} plays when it is opened as an address`, async () => {
    const { master, duration } = clips[name]
    const tab = await browser.open(master)
    const told = []
    tab.on('console', (line) => told.push(line.text()))
    // Ends with the player's own error, or when it has played a second.
    const played = await tab.evaluate(
      () =>
        new Promise((resolve) => {
          const video = document.querySelector('video, audio')
          if (!video) return resolve({ error: `no player in ${document.documentElement.outerHTML}` })
          video.muted = true
          const look = () => {
            if (video.error) resolve({ error: video.error.message })
            else if (video.currentTime >= 1) resolve({ time: video.currentTime, duration: video.duration })
          }
          for (const event of ['error', 'timeupdate']) video.addEventListener(event, look)
          look()
          video.play().catch((error) => resolve({ error: String(error) }))
        })
    )
    assert.equal(played.error, undefined, told.join('\n'))
    assert.ok(Math.abs(played.duration - duration) < 0.2, `${played.duration} s instead of ${duration} s`)
    await tab.close()
  })
}
