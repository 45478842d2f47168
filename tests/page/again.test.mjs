// A video that plays is transcoded again.
import { clip } from './clips.mjs'
import { playing } from './gestures.mjs'
import { expect, test, useFarm } from './test.mjs'

const farm = useFarm()

/** Notes whatever would be seen as a disturbance, unless a busy machine only decodes too slowly what it has. */
const watchPlayback = (page) =>
  page.locator('video').evaluate((video) => {
    window.disturbances = []
    const hasMore = () =>
      Array.from(video.buffered, (_, n) => [video.buffered.start(n), video.buffered.end(n)]).some(
        ([start, end]) => start <= video.currentTime && end >= Math.min(video.currentTime + 0.5, video.duration),
      )
    for (const kind of ['error', 'waiting', 'emptied', 'pause', 'ended']) {
      video.addEventListener(kind, () => {
        if (kind !== 'waiting' || !hasMore()) window.disturbances.push(`${kind} at ${video.currentTime}`)
      })
    }
  })

test('a video plays on while it is transcoded again, and then the new version is offered', async ({ page }) => {
  const { video_id } = await farm.upload(await clip('playing', 'evergreen'))
  await farm.untilVideo(video_id, 'ready')
  await page.goto(`/library/${video_id}`)
  await page.getByRole('button', { name: 'play', exact: true }).click()
  await expect.poll(async () => (await playing(page)).at).toBeGreaterThan(1)
  await watchPlayback(page)

  await page.getByRole('button', { name: 'Transcode again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Transcode again' }).click()
  const progress = page.getByRole('region', { name: 'Progress' })
  await expect(progress).toContainText('The current version keeps playing until the new one is complete.')
  const { at } = await playing(page)
  await expect.poll(async () => (await playing(page)).at).toBeGreaterThan(at + 0.5)
  const offer = page.getByText('A new version is ready. You are watching the previous one.')
  await expect(offer).toBeVisible({ timeout: 60_000 })
  await expect(progress).toBeHidden()

  const then = (await playing(page)).at
  await expect.poll(async () => (await playing(page)).at).toBeGreaterThan(then + 1)
  expect(await page.evaluate(() => window.disturbances)).toEqual([])
  expect((await farm.api(`/api/videos/${video_id}`)).video.generation).toBe(2)

  await page.getByRole('button', { name: 'Reload' }).click()
  await expect.poll(async () => (await playing(page)).at).toBeGreaterThan(then + 1)
  await expect(offer).toBeHidden()
})
