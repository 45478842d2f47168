// The page keeps up with the farm, whatever happens in between.
import { clip } from './clips.mjs'
import { percent } from './gestures.mjs'
import { AWAY, expect, test, useFarm } from './test.mjs'

const farm = useFarm()
const status = (page) => page.getByRole('banner').getByRole('status')

test('two tabs share one stream, and both see what happens', async ({ context, page }) => {
  await page.goto('/library')
  await expect.poll(() => farm.answered('/api/events')).toBe(1)
  const other = await context.newPage()
  await other.goto('/queue')
  await farm.upload(await clip('short', 'shared'))
  await expect(page.getByRole('row', { name: /shared/ })).toContainText('Ready', { timeout: 30_000 })
  await other.getByRole('tab', { name: /^Done/ }).click()
  await expect(other.getByRole('listitem').filter({ hasText: 'shared' })).toBeVisible()
  expect(farm.answered('/api/events')).toBe(1)

  await page.close()
  await farm.upload(await clip('short', 'left alone'))
  await expect(other.getByRole('listitem').filter({ hasText: 'left alone' })).toBeVisible({ timeout: 30_000 })
})

test('the server dies and comes back in the middle of a job: the page says so and catches up automatically', async ({
  page,
  complaints,
}) => {
  complaints.allow(AWAY)
  const { video_id } = await farm.upload(await clip('long', 'survivor'))
  await page.goto(`/library/${video_id}`)
  const bar = page.getByRole('region', { name: 'Progress' }).getByRole('progressbar', { name: 'Overall progress' })
  await expect.poll(() => percent(bar), { timeout: 40_000 }).toBeGreaterThan(5)
  await page.evaluate(() => (window.sameDocument = true))

  await farm.kill()
  await expect(status(page)).toHaveText('Reconnecting…')
  const before = await percent(bar)
  expect(before).toBeGreaterThan(5)
  await farm.start()
  await expect(status(page)).toBeEmpty({ timeout: 40_000 })
  // The rest may be done before anybody looks; then the bar is gone.
  const further = () => bar.getAttribute('aria-valuenow', { timeout: 1_000 }).catch(() => 100)
  await expect.poll(async () => Number(await further()), { timeout: 60_000 }).toBeGreaterThan(before)
  await expect(page.getByRole('button', { name: 'Transcode again' })).toBeVisible({ timeout: 80_000 })
  expect(await page.evaluate(() => window.sameDocument)).toBe(true)
})

test('what happened while the server was away is on the page when it is back', async ({ page, complaints }) => {
  complaints.allow(AWAY)
  await farm.post('/api/queue/pause')
  await farm.upload(await clip('short', 'unseen'))
  const streams = farm.answered('/api/events')
  await page.goto('/queue')
  await expect.poll(() => farm.answered('/api/events')).toBeGreaterThan(streams)
  await expect(page.getByRole('listitem').filter({ hasText: 'unseen' })).toBeVisible()
  const refused = []
  page.on('requestfailed', (request) => refused.push(new URL(request.url()).pathname))
  await farm.kill()
  await expect(status(page)).toHaveText('Reconnecting…')
  // The page asks for what runs and for what waits, three times each, is not answered, and keeps what it has.
  const jobs = () => refused.filter((path) => path === '/api/queue/jobs').length
  await expect.poll(jobs, { timeout: 40_000 }).toBeGreaterThanOrEqual(6)
  await expect(page.getByRole('listitem').filter({ hasText: 'unseen' })).toBeVisible()
  await expect(page.getByText('Could not load the jobs')).toHaveCount(0)
  await page.getByRole('button', { name: 'Resume' }).first().click()
  await expect(page.getByRole('alert').filter({ hasText: 'Could not pause or resume the queue' })).toBeVisible()
  await farm.start()
  await farm.post('/api/queue/resume')
  await expect(page.getByRole('heading', { name: 'Queue is empty' })).toBeVisible({ timeout: 40_000 })
})
