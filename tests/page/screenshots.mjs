// A picture of every screen: light and dark, wide and narrow, with few rows and with many. Made by
// scripts/page-tests --screenshots, which says where to.
import { join } from 'node:path'
import { bytes, clip, text } from './clips.mjs'
import { Crowd, fill } from './crowd.mjs'
import { drop, slowUploads } from './gestures.mjs'
import { expect, refusal, test, useFarm } from './test.mjs'

const place = process.env.FRAMEFARM_SCREENSHOTS
const WIDTHS = [1280, 390]
/** Taller than the window, but not endless. */
const HIGHEST = 2_400

// Slow enough that its long video is at work in every picture.
const farm = useFarm({ env: { FRAMEFARM_WORKER_X264_PRESET: 'veryslow' } })

async function take(page, name, rows) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      const height = await page.evaluate(() => document.documentElement.scrollHeight)
      await page.screenshot({
        path: join(place, `${name}-${rows}-${width}-${colorScheme}.png`),
        fullPage: true,
        clip: { x: 0, y: 0, width, height: Math.min(HIGHEST, Math.max(900, height)) },
        animations: 'disabled',
      })
    }
  }
}

const screens = [
  ['overview', '/'],
  ['videos-table', '/library'],
  ['videos-grid', '/library?view=grid'],
  ['queue-active', '/queue'],
  ['queue-waiting', '/queue?tab=waiting'],
  ['queue-failed', '/queue?tab=failed'],
  ['queue-done', '/queue?tab=done'],
  ['queue-cancelled', '/queue?tab=cancelled'],
  ['queue-stuck', '/queue?tab=stuck&older=120'],
  ['collections', '/collections'],
  ['workers', '/workers'],
  ['alerts', '/alerts'],
  ['settings', '/settings'],
]
async function takeAll(page, rows) {
  for (const [name, path] of screens) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await take(page, name, rows)
  }
}

test.describe.configure({ mode: 'serial', timeout: 600_000 })

test('with nothing', async ({ page }) => {
  await takeAll(page, 'none')
  await page.goto('/upload')
  await expect(page.getByText('No uploads yet.')).toBeVisible()
  await take(page, 'upload', 'none')
})

test('with few rows', async ({ page, complaints }) => {
  complaints.allow(refusal(404))
  const ready = (await farm.upload(await clip('short', 'Orchard in spring'), { collection: 'Gardens' })).video_id
  const failed = (await farm.upload(await text('A letter home'))).video_id
  await farm.untilVideo(ready, 'ready')
  await farm.untilVideo(failed, 'failed')
  const running = (await farm.upload(await clip('long', 'Marathon'), { priority: 'high' })).video_id
  const waiting = (await farm.upload(await clip('short', 'Harbour at night'), { collection: 'Sea' })).video_id
  const cancelled = (await farm.upload(await clip('short', 'Called off'))).video_id
  await farm.post(`/api/videos/${cancelled}/cancel`)
  await farm.post('/api/tokens', { name: 'nightly import', scope: 'upload' })
  await farm.post('/api/alerts/endpoints', { name: 'On call', url: 'https://hooks.slack.com/services/T0/B0/x' })
  await farm.post('/api/collections', { name: 'Trailers', ladder: '1080p:8000,720p:3000:hevc', priority: 'high' })
  await farm.until(`/api/videos/${running}`, ({ video }) => video.work?.percent > 1)
  await takeAll(page, 'few')
  for (const [name, id] of Object.entries({ ready, failed, running, waiting, cancelled })) {
    await page.goto(`/library/${id}`)
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
    await take(page, `video-${name}`, 'few')
  }
  await page.goto('/library/00000000-0000-4000-8000-000000000000')
  await expect(page.getByText('Video not found')).toBeVisible()
  await take(page, 'video-missing', 'few')

  await page.goto('/upload')
  await slowUploads(page, 2 ** 16)
  const quick = await bytes('Postcard.mov', 2 ** 10)
  await drop(page, [await text('Letter'), quick, await bytes('Meadow.mov', 2 ** 25), await bytes('Bridge.mov', 2 ** 24)])
  await expect(page.getByRole('link', { name: 'Open video' })).toBeVisible()
  await take(page, 'upload', 'few')
})

test('what opens above a screen', async ({ page }) => {
  await page.goto('/workers')
  await page.getByRole('button', { name: 'Add worker' }).click()
  await expect(page.getByRole('button', { name: 'Copy join command' })).toBeVisible()
  await take(page, 'workers-join', 'few')
  await page.goto('/alerts')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('URL').fill('https://discord.com/api/webhooks/1/x')
  await take(page, 'alerts-add', 'few')
  await page.goto('/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await page.getByLabel('Custom qualities').check()
  await take(page, 'collections-new', 'few')
  await page.goto('/library')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog').getByPlaceholder('Search pages and videos')).toBeFocused()
  await take(page, 'palette', 'few')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await take(page, 'keyboard', 'few')
})

test('with many rows', async ({ page }) => {
  await fill(farm, 1_000)
  const crowd = new Crowd(farm)
  await crowd.join(50)
  await takeAll(page, 'many')
})

test.describe('before the login', () => {
  test.use({ loggedIn: false })
  test('the login', async ({ page, complaints }) => {
    complaints.allow(refusal(401))
    await page.goto('/login')
    await expect(page.getByLabel('Admin password')).toBeFocused()
    await take(page, 'login', 'none')
  })
})
