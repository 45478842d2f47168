// From a file on the desk to a video that plays.
import { bytes, clip, head, text } from './clips.mjs'
import { PASSWORD } from './farm.mjs'
import { drag, drop, percent, playing, recordBars, slowUploads } from './gestures.mjs'
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
  await expect(item(page, 'patience.mov').getByText('Uploading', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Pause: patience.mov' }).click()
  await expect(item(page, 'patience.mov').getByText('Paused', { exact: true })).toBeVisible()
  await setSpeed(0)
  await page.getByRole('button', { name: 'Resume: patience.mov' }).click()
  await expect(item(page, 'patience.mov').getByRole('link', { name: 'Open video' })).toBeVisible()
})

test('an upload whose session ends goes on where it was after the login in place', async ({ page, complaints }) => {
  complaints.allow(refusal(401))
  complaints.allow(/\[Uppy\].* response code: 401/)
  await page.goto('/upload')
  const setSpeed = await slowUploads(page, 24 * MiB)
  // A request takes 50 MiB; the next one is refused.
  await choose(page, await bytes('interrupted.mov', 60 * MiB))
  const bar = page.getByRole('progressbar', { name: 'Upload of interrupted.mov' })
  await expect.poll(() => percent(bar)).toBeGreaterThan(10)
  await page.context().clearCookies()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await expect(dialog).toContainText('1 upload resumes after you log in.')
  await expect(item(page, 'interrupted.mov').getByRole('alert')).toHaveText('Your session has ended. Log in to continue.')
  await setSpeed(0)

  const sent = offsets(page)
  await dialog.getByLabel('Admin password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(item(page, 'interrupted.mov').getByRole('link', { name: 'Open video' })).toBeVisible()
  expect(sent).toEqual([50 * MiB])
})

test('the same video again is not done twice, and the page says so', async ({ page }) => {
  const file = await clip('short', 'twice')
  await farm.post('/api/queue/pause')
  const { video_id } = await farm.upload(file)
  await page.goto('/upload')
  await drop(page, [file])
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
  await expect(item(page, 'huge.mov').getByRole('alert')).toHaveText(
    'The file is too large: this server accepts files of up to 268.4 MB. An administrator can raise the limit ' +
      '(setting max_upload_bytes).',
  )
})

test('files that are dropped on any screen go to the uploads with the chosen collection, and start at once', async ({
  page,
}) => {
  await page.goto('/upload')
  await page.getByRole('combobox', { name: 'Collection' }).fill('Holidays')
  await page.goto('/workers')
  const letGo = await drag(page, [await bytes('postcard.mov', MiB)])
  const overlay = page.getByText('Drop files to upload', { exact: true })
  await expect(overlay).toBeVisible()
  await expect(page.getByText('They are added on the Upload screen and start at once.')).toBeVisible()
  await expect(page.getByText('Collection: Holidays')).toBeVisible()
  await letGo()
  await expect(overlay).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1, name: 'Upload' })).toBeVisible()
  await item(page, 'postcard.mov').getByRole('link', { name: 'Open video' }).click()
  await expect(page.getByRole('main')).toContainText('Holidays')
})

test('files that are dropped on an open dialog are added, and the dialog stays', async ({ page }) => {
  await page.goto('/settings')
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('half a name')
  await drop(page, [await bytes('dropped.mov', MiB), await text('aside')])
  await expect(page.getByText('1 file added on the Upload screen.')).toBeVisible()
  await expect(page.getByText('1 file has an unsupported type. See the Upload screen for the reason.')).toBeVisible()
  await expect(page.getByRole('dialog').getByLabel('Name')).toHaveValue('half a name')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Upload/ }).click()
  await expect(item(page, 'dropped.mov').getByRole('link', { name: 'Open video' })).toBeVisible()
  await expect(item(page, 'aside.mp4').getByText('Unsupported file type', { exact: true })).toBeVisible()
})

test('who starts uploads by hand edits titles before, and that choice stays', async ({ page }) => {
  await page.goto('/upload')
  const automatic = page.getByRole('switch', { name: 'Start uploads automatically' })
  await expect(automatic).toBeChecked()
  await automatic.uncheck()
  await page.reload()
  await expect(automatic).not.toBeChecked()
  const letGo = await drag(page, [await bytes('sea_and_sky.mov', MiB)])
  await expect(page.getByText('They are added on the Upload screen. Start them there.')).toBeVisible()
  await letGo()
  const title = page.getByLabel('Title of sea_and_sky.mov')
  await expect(title).toHaveValue('sea and sky')
  await title.fill('The sea')
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await item(page, 'sea_and_sky.mov').getByRole('link', { name: 'Open video' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'The sea' })).toBeVisible()
})

test('a file that is no video is refused in its row before anything of it is sent', async ({ page }) => {
  const sent = []
  page.on('request', (request) => {
    if (request.url().includes('/api/uploads')) sent.push(request.url())
  })
  await page.goto('/upload')
  const wrong = {
    'letter.mp4': [await text('letter'), 'This is a text file. Select a video or audio file instead.'],
    'report.mov': [await head('report.mov', '%PDF-1.7\n'), 'This is a PDF document. Select a video or audio file instead.'],
    'holiday.mkv': [await head('holiday.mkv', 'PK\x03\x04'), 'This is an archive. Unpack it and select the videos inside.'],
    'setup.avi': [await head('setup.avi', '\x7fELF\x02'), 'This is a program. Select a video or audio file instead.'],
    'photo.mov': [
      await head('photo.mov', '\xff\xd8\xff\xe0'),
      'This is a still image. Select a video or audio file instead.',
    ],
  }
  await drop(page, Object.values(wrong).map(([file]) => file))
  for (const [name, [, why]] of Object.entries(wrong)) {
    await expect(item(page, name).getByText('Unsupported file type', { exact: true })).toBeVisible()
    await expect(item(page, name).getByRole('alert')).toHaveText(why)
    await expect(item(page, name).getByRole('button')).toHaveText(['Remove'])
  }
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('5 need attention')
  expect(sent).toEqual([])

  await page.getByRole('button', { name: 'Remove: letter.mp4' }).click()
  await expect(item(page, 'letter.mp4')).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove 4 unsupported files' }).click()
  await expect(page.getByText('No uploads yet.')).toBeVisible()
  // What nobody knows may be a video: the server decides.
  await drop(page, [await bytes('unknown.bin', MiB)])
  await expect(item(page, 'unknown.bin').getByRole('link', { name: 'Open video' })).toBeVisible()
})

async function choose(page, file, button = 'Select files') {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button }).click(),
  ])
  await chooser.setFiles(file)
}
