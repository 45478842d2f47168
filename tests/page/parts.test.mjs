// Screens are loaded when they are first opened: from a server that may be away, or have other files by then.
import { bytes } from './clips.mjs'
import { drop, slowUploads } from './gestures.mjs'
import { AWAY, expect, refusal, test, useFarm } from './test.mjs'

const farm = useFarm({ args: ['--no-worker'] })
const SCREEN = /\/assets\/CollectionsScreen-/
const link = (page, name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })
const title = (page, name) => page.getByRole('heading', { level: 1, name })

/** How many documents this tab has loaded from now on. */
function countLoads(page) {
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  return () => loads
}

test('a screen that is first opened while the server is away says so, and opens when it is back', async ({
  page,
  complaints,
}) => {
  complaints.allow(AWAY)
  await page.goto('/')
  await expect(title(page, 'Overview')).toBeVisible()
  await page.evaluate(() => (window.sameDocument = true))
  await farm.kill()
  await link(page, 'Collections').click()
  await expect(page.getByText('No connection to the server')).toBeVisible()
  await expect(page.getByText('This screen opens automatically once the server responds.')).toBeVisible()
  await expect(page.getByText(/preload|import|assets/)).toHaveCount(0)
  await farm.start()
  await expect(title(page, 'Collections')).toBeVisible({ timeout: 40_000 })
  expect(await page.evaluate(() => window.sameDocument)).toBe(true)
  // Its styles came, too.
  const missing = () => [...document.querySelectorAll('link[rel=stylesheet]')].filter(({ sheet }) => !sheet).length
  expect(await page.evaluate(missing)).toBe(0)
})

test('after an update of the server the page reloads itself for a screen with another name', async ({
  page,
  complaints,
}) => {
  complaints.allow(refusal(404, '/assets/'))
  await page.goto('/')
  await expect(title(page, 'Overview')).toBeVisible()
  const loads = countLoads(page)
  await page.route(SCREEN, (route) => (loads() === 0 ? route.fulfill({ status: 404 }) : route.fallback()))
  await link(page, 'Collections').click()
  await expect(title(page, 'Collections')).toBeVisible()
  expect(loads()).toBe(1)
})

test('a page that a reload does not help reloads once, and then leaves it to people', async ({ page, complaints }) => {
  complaints.allow(refusal(404, '/assets/'))
  await page.goto('/')
  await expect(title(page, 'Overview')).toBeVisible()
  const loads = countLoads(page)
  await page.route(SCREEN, (route) => route.fulfill({ status: 404 }))
  await link(page, 'Collections').click()
  await expect.poll(loads).toBe(1)
  await expect(page.getByText('The server responds, but does not have the files of this screen.')).toBeVisible()
  expect(loads()).toBe(1)
  // Every other screen can be used.
  await link(page, 'Workers').click()
  await expect(title(page, 'Workers')).toBeVisible()
  await page.unroute(SCREEN)
  await link(page, 'Collections').click()
  await expect(title(page, 'Collections')).toBeVisible()
})

test('an update does not end a running upload: the page reloads when it is finished', async ({ page, complaints }) => {
  complaints.allow(refusal(404, '/assets/'))
  await page.goto('/upload')
  const setSpeed = await slowUploads(page, 2 ** 20)
  await drop(page, [await bytes('running.mov', 2 ** 24)])
  await expect(page.getByRole('progressbar', { name: 'Upload of running.mov' })).toBeVisible()
  const loads = countLoads(page)
  await page.route(SCREEN, (route) => (loads() === 0 ? route.fulfill({ status: 404 }) : route.fallback()))
  await link(page, 'Collections').click()
  await expect(page.getByText(/^The page reloads once 1 upload is finished\./)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reload page' })).toBeVisible()
  expect(loads()).toBe(0)
  await setSpeed(0)
  await expect(title(page, 'Collections')).toBeVisible()
  expect(loads()).toBe(1)
  expect((await farm.api('/api/videos')).items.map(({ title }) => title)).toContain('running')
})
