// From a file on the desk to a video that plays.
import { bytes, clip, text } from './clips.mjs'
import { drop, playing, recordBars, slowUploads } from './gestures.mjs'
import { expect, refusal, test, useFarm } from './test.mjs'

const MiB = 2 ** 20
const MOST = 256 * MiB
const farm = useFarm({ env: { FRAMEFARM_WORKER_X264_PRESET: 'fast', FRAMEFARM_MAX_UPLOAD_BYTES: String(MOST) } })

const item = (page, name) => page.getByRole('main').getByRole('listitem').filter({ hasText: name })

test('two videos that are dropped show how far each quality is, and play when their bars are full', async ({ page }) => {
  await page.goto('/upload')
  await expect(page.getByText('No uploads yet.')).toBeVisible()
  const bars = await recordBars(page)
  await drop(page, [await clip('playing', 'sea_and_sky'), await clip('short', 'forest')])
  await expect(page.getByLabel('Title of sea_and_sky.mkv')).toHaveValue('sea and sky')
  await page.getByRole('button', { name: 'Upload 2 files' }).click()

  for (const name of ['sea_and_sky.mkv', 'forest.mkv']) {
    await expect(item(page, name).getByText('Ready', { exact: true })).toBeVisible({ timeout: 60_000 })
  }
  const shown = await bars()
  for (const quality of ['360p', '240p', '180p']) {
    const values = shown[`Quality ${quality}`] ?? []
    const between = values.filter((value) => value > 0 && value < 100)
    expect(between.length, `${quality} showed ${values}`).toBeGreaterThan(2)
  }

  await item(page, 'sea_and_sky.mkv').getByRole('link', { name: 'Open video' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'sea and sky' })).toBeVisible()
  await page.getByRole('button', { name: 'play', exact: true }).click()
  await expect.poll(async () => (await playing(page)).at).toBeGreaterThan(1)
  expect((await playing(page)).error).toBeNull()

  await page.getByRole('button', { name: 'quality' }).click()
  await page.getByRole('menuitemradio', { name: '180p' }).click()
  await expect.poll(async () => (await playing(page)).height).toBe(180)
  const { at } = await playing(page)
  await expect.poll(async () => (await playing(page)).at).toBeGreaterThan(at + 1)
  await page.getByRole('button', { name: 'quality' }).click()
  await page.getByRole('menuitemradio', { name: '360p' }).click()
  await expect.poll(async () => (await playing(page)).height).toBe(360)
})

/** The offsets at which this page sends bytes of uploads. */
function offsets(page) {
  const found = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') found.push(Number(request.headers()['upload-offset']))
  })
  return found
}

/** Runs in the page: a browser with much to do takes its time to open its database. */
function slowDatabase() {
  const { get, set } = Object.getOwnPropertyDescriptor(IDBRequest.prototype, 'onsuccess')
  const late = (handler) => (event) => setTimeout(handler, 1_500, event)
  Object.defineProperty(IDBOpenDBRequest.prototype, 'onsuccess', {
    get,
    set(handler) {
      set.call(this, late(handler))
    },
  })
}

test('an upload resumes automatically where it was when the page is reloaded', async ({ page }) => {
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto('/upload')
  const setSpeed = await slowUploads(page, 2 * MiB)
  await choose(page, await bytes('halfway.mov', 24 * MiB))
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  const bar = page.getByRole('progressbar', { name: 'Upload of halfway.mov' })
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(20)

  const sent = offsets(page)
  await page.addInitScript(slowDatabase)
  await page.reload()
  await setSpeed(0)
  await expect(item(page, 'halfway.mov').getByRole('link', { name: 'Open video' })).toBeVisible()
  expect(sent.length).toBeGreaterThan(0)
  expect(Math.min(...sent)).toBeGreaterThan(2 * MiB)
  // Zeros are no video, and the page says so here too.
  await expect(item(page, 'halfway.mov').getByText('Failed', { exact: true })).toBeVisible({ timeout: 30_000 })
})

test('a file that the browser does not keep is asked for again, and only the rest is sent', async ({ page, complaints }) => {
  // The request of the page that was left may hold the upload for a moment; the client asks again.
  complaints.allow(refusal(423))
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto('/upload')
  await slowUploads(page, 4 * MiB)
  const file = await bytes('large.mov', 201 * MiB)
  await choose(page, file)
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  const bar = page.getByRole('progressbar', { name: 'Upload of large.mov' })
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(2)

  await page.reload()
  await expect(item(page, 'large.mov').getByText('Select file to resume', { exact: true })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('1 needs attention')
  const sent = offsets(page)
  await choose(page, file, 'Select file: large.mov')
  await expect.poll(() => sent.length).toBeGreaterThan(0)
  expect(sent[0]).toBeGreaterThan(MiB)

  await page.getByRole('button', { name: 'Cancel: large.mov' }).click()
  await expect(item(page, 'large.mov')).toHaveCount(0)
})

test('an upload that is paused goes on when it is resumed', async ({ page }) => {
  await page.goto('/upload')
  const setSpeed = await slowUploads(page, MiB)
  await choose(page, await bytes('patience.mov', 12 * MiB))
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await expect(item(page, 'patience.mov').getByText('Uploading', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Pause: patience.mov' }).click()
  await expect(item(page, 'patience.mov').getByText('Paused', { exact: true })).toBeVisible()
  await setSpeed(0)
  await page.getByRole('button', { name: 'Resume: patience.mov' }).click()
  await expect(item(page, 'patience.mov').getByRole('link', { name: 'Open video' })).toBeVisible()
})

test('the same video again is not done twice, and the page says so', async ({ page }) => {
  const file = await clip('short', 'twice')
  await farm.post('/api/queue/pause')
  const { video_id } = await farm.upload(file)
  await page.goto('/upload')
  await drop(page, [file])
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await expect(item(page, 'twice.mkv')).toContainText('Already uploaded as “twice”. It is not transcoded again.')
  await item(page, 'twice.mkv').getByRole('link', { name: 'Open video' }).click()
  await expect(page).toHaveURL(new RegExp(`/library/${video_id}$`))
  await farm.post('/api/queue/resume')
})

test('what is too large for the server is refused in its words', async ({ page, complaints }) => {
  complaints.allow(refusal(413))
  complaints.allow(/\[Uppy\].* response code: 413/)
  await page.goto('/upload')
  await choose(page, await bytes('huge.mov', MOST + 1))
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await expect(item(page, 'huge.mov').getByRole('alert')).toHaveText(
    'The file is too large: this server accepts files of up to 268.4 MB. An administrator can raise the limit ' +
      '(setting max_upload_bytes).',
  )
})

test('videos go off at once for those who want that, with their collection', async ({ page }) => {
  await page.goto('/upload')
  await page.getByRole('combobox', { name: 'Collection' }).fill('Holidays')
  await page.getByRole('switch', { name: 'Start uploads automatically' }).check()
  await drop(page, [await text('postcard')])
  await item(page, 'postcard.mp4').getByRole('link', { name: 'Open video' }).click()
  await expect(page.getByRole('main')).toContainText('Holidays')
})

async function choose(page, file, button = 'Select files') {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button }).click(),
  ])
  await chooser.setFiles(file)
}
