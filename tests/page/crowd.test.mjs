// A large farm: 1,000 videos, 50 workers, all at work.
import { Crowd, fill, listen } from './crowd.mjs'
import { expect, test, useFarm } from './test.mjs'

const VIDEOS = 1_000
const WORKERS = 50
const TRACE_MS = 10_000
/** What people begin to feel. */
const LONGEST_MS = 200

const farm = useFarm({ args: ['--no-worker'] })
const crowd = new Crowd(farm)

test.beforeAll(async () => {
  test.setTimeout(120_000)
  await fill(farm, VIDEOS)
  expect(await crowd.join(WORKERS)).toBe(WORKERS)
})
test.afterAll(() => crowd.stop())
test.beforeEach(() => crowd.start(1_000))
test.afterEach(() => {
  crowd.stop()
  expect(crowd.failures).toEqual([])
})

/** Runs `act` within a trace of ten seconds; returns how long the page did not answer, each time, in milliseconds. */
async function trace(page, act) {
  await page.evaluate((ms) => {
    window.tasks = []
    const observer = new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((e) => Math.round(e.duration))))
    observer.observe({ type: 'longtask' })
    window.traced = new Promise((resolve) => setTimeout(resolve, ms))
  }, TRACE_MS)
  await act()
  return await page.evaluate(async () => {
    await window.traced
    return window.tasks
  })
}

const tooLong = (tasks) => tasks.filter((task) => task > LONGEST_MS)
/** What all bars show. */
const percents = (page) => page.locator('[role=progressbar]').evaluateAll((bars) => bars.map((bar) => bar.ariaValueNow).join())

test('the API tells each client of each video a few times a second at most', async () => {
  crowd.stop()
  // Far more often than real workers do.
  crowd.start(150)
  const seconds = 5
  const { kinds, ofJob } = await listen(farm, seconds * 1000)
  expect(Object.keys(ofJob)).toHaveLength(WORKERS)
  const most = Math.max(...Object.values(ofJob))
  test.info().annotations.push({ type: 'messages in 5 s', description: `${JSON.stringify(kinds)}, ${most} of one job` })
  // Two a second, one more for the state at the beginning and one for where the seconds are cut.
  expect(most).toBeLessThanOrEqual(2 * seconds + 2)
})

test('the videos stay quick while all are loaded and fifty of them move', async ({ page }) => {
  test.setTimeout(150_000)
  await page.goto('/library')
  await expect(page.getByRole('row').nth(20)).toBeVisible()
  const shown = page.getByRole('status').filter({ hasText: /videos shown/ })
  await expect
    .poll(
      async () => {
        await page.keyboard.press('End')
        return await shown.textContent()
      },
      { timeout: 60_000 },
    )
    .toMatch(/^1,000 videos/)
  const tasks = await trace(page, async () => {
    await page.keyboard.press('Home')
    await page.mouse.move(600, 500)
    for (let turns = 0; turns < 10; turns += 1) await page.mouse.wheel(0, 3_000)
    await page.getByLabel('Search in titles').pressSequentially('harbour')
    await expect(page).toHaveURL(/search=harbour/)
    await page.getByLabel('Clear the search').click()
    await expect(shown).toHaveText(/^1,000 videos/)
  })
  test.info().annotations.push({ type: 'long tasks', description: tasks.join(', ') })
  expect(tooLong(tasks)).toEqual([])

  await page.goto('/library?status=processing')
  await expect(page.getByRole('progressbar').first()).toBeVisible()
  const before = await percents(page)
  await expect.poll(() => percents(page)).not.toBe(before)
})

test('the queue stays quick with hundreds of jobs', async ({ page }) => {
  await page.goto('/queue')
  await expect(page.getByRole('list', { name: 'Running jobs' }).getByRole('listitem')).toHaveCount(WORKERS)
  const before = await percents(page)
  const tasks = await trace(page, async () => {
    await page.mouse.move(600, 500)
    for (let turns = 0; turns < 10; turns += 1) await page.mouse.wheel(0, 800)
    await page.getByRole('tab', { name: /^Failed/ }).click()
    await page.getByRole('tab', { name: /^Active/ }).click()
    await expect(page.getByRole('list', { name: 'Running jobs' }).getByRole('listitem')).toHaveCount(WORKERS)
  })
  test.info().annotations.push({ type: 'long tasks', description: tasks.join(', ') })
  expect(tooLong(tasks)).toEqual([])
  expect(await percents(page)).not.toBe(before)
})

test('the workers and the overview stay quick with fifty at work', async ({ page }) => {
  await page.goto('/workers')
  await expect(page.getByRole('article')).toHaveCount(WORKERS)
  const tasks = await trace(page, async () => {
    await page.mouse.move(600, 500)
    for (let turns = 0; turns < 10; turns += 1) await page.mouse.wheel(0, 800)
    await page.getByRole('link', { name: 'Overview' }).click()
    await expect(page.getByRole('region', { name: 'Running now' }).getByRole('progressbar')).toHaveCount(20)
    await page.getByRole('link', { name: /^Workers/ }).first().click()
    await expect(page.getByRole('article')).toHaveCount(WORKERS)
  })
  test.info().annotations.push({ type: 'long tasks', description: tasks.join(', ') })
  expect(tooLong(tasks)).toEqual([])
})
