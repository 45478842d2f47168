// Everybody can use it: axe-core on every screen in both colours, everything by keyboard, plain words.
import AxeBuilder from '@axe-core/playwright'
import { aGpu, joinWithGpus } from './gpus.mjs'
import { bytes, clip, text } from './clips.mjs'
import { drop, percent, slowUploads } from './gestures.mjs'
import { expect, refusal, test, useFarm } from './test.mjs'

// Slow enough that its long video is at work in every test, on a quick machine too.
const farm = useFarm({ env: { FRAMEFARM_WORKER_X264_PRESET: 'veryslow' } })
const videos = {}

/** A farm with something of each kind: ready, failed, running, waiting, done, cancelled. */
test.beforeAll(async () => {
  videos.ready = (await farm.upload(await clip('short', 'orchard'), { collection: 'Gardens' })).video_id
  await farm.untilVideo(videos.ready, 'ready')
  videos.failed = (await farm.upload(await text('recipe'))).video_id
  await farm.untilVideo(videos.failed, 'failed')
  await farm.post('/api/tokens', { name: 'backup script', scope: 'read' })
  await farm.post('/api/alerts/endpoints', { name: 'on call', url: 'https://hooks.slack.com/services/T0/B0/x' })
  // The only slot is taken before anything else waits: a short clip would be ready before it is cancelled.
  videos.running = (await farm.upload(await clip('long', 'marathon'), { priority: 'high' })).video_id
  await farm.until(`/api/videos/${videos.running}`, ({ video }) => video.status === 'processing')
  videos.cancelled = (await farm.upload(await clip('short', 'called off'), { priority: 'low' })).video_id
  videos.waiting = (await farm.upload(await clip('short', 'queueing'))).video_id
  await farm.post(`/api/videos/${videos.cancelled}/cancel`)
})

/** What axe-core finds, one line each, so that a failure can be read. */
async function violations(page, rules) {
  // Not the way that opens another tab for the sake of frames of other sites: there are none.
  const axe = new AxeBuilder({ page }).setLegacyMode(true)
  if (rules) axe.withRules(rules)
  else axe.options({ rules: { 'target-size': { enabled: true } } })
  const { violations } = await axe.analyze()
  const words = ({ any, all }) => [...any, ...all].map(({ message }) => message).join('; ')
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${words(node)}`))
}

/** Things that only programs say. */
const RAW = /undefined|\bnull\b|NaN|\[object|Infinity|Invalid Date|\{"|Error:|\b[a-z]+_[a-z]+_?[a-z]*\b/

async function isFineForAll(page, screen) {
  await expect(page.getByRole('main')).toBeVisible()
  // Colours are all that differs in the dark.
  for (const [colorScheme, rules] of [['light'], ['dark', ['color-contrast', 'link-in-text-block']]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
    expect.soft(await violations(page, rules), `${screen}, ${colorScheme}`).toEqual([])
  }
  // A join command ends in random characters, which are what they are, and so does a token.
  const words = (await page.locator('body').innerText()).replace(/\bff[jt]_[\w-]+/g, '')
  const raw = words.split('\n').filter((line) => RAW.test(line))
  expect.soft(raw, `raw words on ${screen}`).toEqual([])
}

const screens = [
  ['the overview', '/', (page) => page.getByRole('progressbar', { name: 'Progress of marathon' })],
  ['the upload', '/upload', (page) => page.getByText('No uploads yet.')],
  ['the videos as a table', '/library', (page) => page.getByRole('row', { name: /marathon/ }).getByRole('list')],
  ['the videos as a grid', '/library?view=grid', (page) => page.getByRole('link', { name: 'marathon' }).last()],
  ['no video that matches', '/library?search=nothing', (page) => page.getByText('No matching videos')],
  ['the active jobs', '/queue', (page) => page.getByRole('progressbar', { name: 'Progress of marathon' })],
  ['the waiting jobs', '/queue?tab=waiting', (page) => page.getByText('queueing')],
  ['the failed jobs', '/queue?tab=failed', (page) => page.getByText('recipe').first()],
  ['the finished jobs', '/queue?tab=done', (page) => page.getByText('orchard')],
  ['the cancelled jobs', '/queue?tab=cancelled', (page) => page.getByText('called off').first()],
  ['the jobs that run for long', '/queue?tab=stuck&older=120', (page) => page.getByRole('tabpanel')],
  ['the collections', '/collections', (page) => page.getByRole('link', { name: 'Gardens' })],
  ['the alerts', '/alerts', (page) => page.getByText('on call').first()],
  ['the workers', '/workers', (page) => page.getByRole('progressbar', { name: 'Progress of marathon' })],
  ['the settings', '/settings', (page) => page.getByText('backup script').first()],
]
for (const [name, path, shown] of screens) {
  test(`${name} can be used by everybody`, async ({ page }) => {
    await page.goto(path)
    await expect(shown(page)).toBeVisible()
    await isFineForAll(page, name)
  })
}

test('a video can be used by everybody, however it is', async ({ page, complaints }) => {
  complaints.allow(refusal(404, 'api/videos'))
  await page.goto(`/library/${videos.ready}`)
  await expect(page.getByRole('button', { name: 'play', exact: true })).toBeVisible()
  await isFineForAll(page, 'a ready video')
  await page.goto(`/library/${videos.failed}`)
  await expect(page.getByRole('region', { name: 'What went wrong' })).toBeVisible()
  await isFineForAll(page, 'a failed video')
  await page.goto(`/library/${videos.running}`)
  await expect(page.getByRole('progressbar', { name: 'Overall progress' })).toBeVisible()
  await isFineForAll(page, 'a video in the making')
  await page.goto('/library/00000000-0000-4000-8000-000000000000')
  await expect(page.getByText('Video not found')).toBeVisible()
  await isFineForAll(page, 'no video')
})

test('GPUs are accessible to everybody in every state', async ({ page }) => {
  const tell = await joinWithGpus(farm, 'render box')
  const failures = ['quarantined', 'lost', 'yielding', 'unusable'].map((state, index) =>
    aGpu(index + 1, { state, reason: 'it does not answer', encoders: [], sample: null }),
  )
  await tell(aGpu(0), ...failures)
  await page.goto('/')
  await expect(page.getByText('2 GPUs are unavailable')).toBeVisible()
  await isFineForAll(page, 'the overview with failed GPUs')
  await page.goto('/workers')
  await page.getByText('History and encoders').first().click()
  await expect(page.getByRole('img', { name: /^Last 4 s: encoder/ })).toBeVisible()
  await isFineForAll(page, 'the GPUs of a worker')
})

test('what opens above a screen can be used by everybody', async ({ page }) => {
  await page.goto('/library')
  await page.getByLabel('Select orchard').check()
  await isFineForAll(page, 'the bar of what is selected')
  await page.getByRole('button', { name: 'Actions for orchard' }).click()
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible()
  await isFineForAll(page, 'the menu of a video')
  await page.getByRole('menuitem', { name: 'Transcode again' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await isFineForAll(page, 'the dialog to transcode again')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog').getByPlaceholder('Search pages and videos')).toBeFocused()
  await page.keyboard.type('orch')
  await expect(page.getByRole('dialog').getByText('orchard')).toBeVisible()
  await isFineForAll(page, 'the palette')
  await page.keyboard.press('Escape')
  await page.goto('/queue?tab=failed')
  await page.getByRole('button', { name: 'Queue settings' }).click()
  await isFineForAll(page, 'the settings of the queue')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear failed…' }).click()
  await isFineForAll(page, 'a question')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Export and import' }).click()
  await page.getByRole('menuitem', { name: 'Import…' }).click()
  await isFineForAll(page, 'the dialog to import')
  await page.goto('/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  await page.getByLabel('Custom qualities').check()
  await isFineForAll(page, 'the dialog for a collection')
  await page.goto('/alerts')
  await page.getByText('Alert types').click()
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('Selected events').check()
  await isFineForAll(page, 'the dialog for an endpoint')
  await page.goto('/upload')
  await page.getByRole('button', { name: 'Import from URLs or server folders' }).click()
  await isFineForAll(page, 'the way to have files fetched')
  await page.goto('/workers')
  await page.getByRole('button', { name: 'Add worker' }).click()
  await expect(page.getByRole('button', { name: 'Copy join command' })).toBeVisible()
  await isFineForAll(page, 'the way to add a worker')
  await page.goto('/settings')
  await page.getByRole('button', { name: 'New token' }).click()
  await isFineForAll(page, 'the dialog for a token')
  await page.getByRole('dialog').getByLabel('Name').fill('shown once')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await expect(page.getByRole('button', { name: 'Copy token' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
  await isFineForAll(page, 'a token that is not copied yet')
})

test('the login above a screen and what waits for the server can be used by everybody', async ({ page, complaints }) => {
  complaints.allow(refusal(401))
  complaints.allow(refusal(404, '(/assets/|/version)'))
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.route(/\/assets\/CollectionsScreen-|\/version$/, (route) => route.fulfill({ status: 404 }))
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Collections' }).click()
  await expect(page.getByText('No connection to the server')).toBeVisible()
  await isFineForAll(page, 'a screen that waits for the server')
  await page.unrouteAll()
  await page.goto('/alerts')
  await expect(page.getByText('on call').first()).toBeVisible()
  await page.context().clearCookies()
  // Whatever happens on the farm makes the page ask.
  await farm.post('/api/queue/pause')
  await farm.post('/api/queue/resume')
  await expect(page.getByRole('dialog', { name: 'Your session has ended' }).getByLabel('Admin password')).toBeFocused()
  await isFineForAll(page, 'the login above a screen')
})

test('uploads can be used by everybody, whatever becomes of them', async ({ page }) => {
  await page.goto('/upload')
  await slowUploads(page, 2 ** 18)
  await drop(page, [await text('note'), await bytes('quick.mov', 2 ** 10), await bytes('slow.mov', 2 ** 24)])
  await expect(page.getByText('Unsupported file type', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open video' })).toBeVisible()
  await expect.poll(() => percent(page.getByRole('progressbar', { name: 'Upload of slow.mov' }))).toBeGreaterThan(0)
  await isFineForAll(page, 'running uploads')
})

test('a small screen can be used by everybody', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  const video = `/library/${videos.ready}`
  const paths = ['/', '/upload', '/library', video, '/collections', '/queue?tab=failed', '/workers', '/alerts', '/settings']
  for (const path of paths) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect.soft(await violations(page), `${path} at 390 px`).toEqual([])
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect.soft(wide, `${path} is wider than a phone`).toBe(0)
  }
  await page.getByRole('button', { name: 'Open menu' }).click()
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await expect(pages.getByRole('link', { name: /^Workers/ })).toBeVisible()
  expect.soft(await violations(page), 'the menu at 390 px').toEqual([])
})

test.describe('before the login', () => {
  test.use({ loggedIn: false })
  test('the login can be used by everybody', async ({ page, complaints }) => {
    complaints.allow(refusal(401))
    await page.goto('/login')
    await isFineForAll(page, 'the login')
    await page.getByLabel('Admin password').fill('wrong')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toBeVisible()
    await isFineForAll(page, 'a refused login')
  })
})
