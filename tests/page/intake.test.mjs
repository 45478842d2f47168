// Collections with rules of their own, and files that the server fetches itself.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { clip } from './clips.mjs'
import { expect, test, useFarm } from './test.mjs'

// Apart from the data of the farm, where secrets are.
const folder = await mkdtemp(join(process.env.FRAMEFARM_PAGE_DIR, 'videos-'))
const farm = useFarm({ env: { FRAMEFARM_INTAKE_DIRS: folder } })
test.afterAll(() => rm(folder, { recursive: true, force: true }))

test('a collection gets qualities of its own, says what they make, and is offered where a video chooses one', async ({
  page,
}) => {
  await page.goto('/collections')
  await expect(page.getByText('No collections yet')).toBeVisible()
  await page.getByRole('button', { name: 'New collection' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Trailers')
  await dialog.getByLabel('Custom qualities').check()
  await dialog.getByRole('button', { name: 'Remove quality 1' }).click()
  await dialog.getByLabel('Resolution of quality 1').fill('241')
  await expect(dialog.getByText('Correct the numbers marked above.')).toBeVisible()
  await dialog.getByLabel('Resolution of quality 1').fill('240')
  await dialog.getByLabel('Resolution of quality 2').fill('180')
  await expect(dialog.getByText(/^2 qualities: 240p, 180p\. An hour of video takes up to/)).toBeVisible()
  await dialog.getByLabel('Original files').selectOption({ label: 'Keep' })
  await dialog.getByRole('button', { name: 'Create collection' }).click()
  const trailers = page.getByRole('listitem').filter({ hasText: 'Trailers' }).first()
  await expect(trailers).toContainText('2 qualities: 240p, 180p.')
  await expect(trailers).toContainText('Originals are kept.')
  expect((await farm.api('/api/collections/Trailers')).ladder).toBe('240p:2500,180p:1000')

  await page.goto('/upload')
  await page.getByRole('combobox', { name: 'Collection' }).click()
  await expect(page.getByRole('option', { name: 'Trailers' })).toBeVisible()
})

test('files are fetched by their paths, and what is not allowed says why', async ({ page }) => {
  const file = join(folder, 'sub', 'from the shelf.mp4')
  await mkdir(join(folder, 'sub'))
  await copyFile(await clip('short', 'shelf'), file)
  await page.goto('/upload')
  await page.getByRole('combobox', { name: 'Collection' }).fill('Trailers')
  await page.getByRole('button', { name: 'Import from URLs or server folders' }).click()
  const lines = page.getByLabel('URLs or paths, one per line')
  await lines.fill(`${file}\n/etc/passwd`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('1 file queued for import.')).toBeVisible()
  await expect(page.getByText('1 line rejected')).toBeVisible()
  await expect(lines).toHaveValue('/etc/passwd')

  const item = page.getByRole('listitem').filter({ hasText: basename(file) })
  await expect(item).toContainText('Imported')
  await item.getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('from the shelf')
  await expect(page.getByText('Trailers').first()).toBeVisible()
  const [video] = (await farm.api('/api/videos')).items
  await farm.untilVideo(video.id, 'ready')
  const { qualities } = await farm.api(`/api/videos/${video.id}`)
  expect(qualities.filter(({ kind }) => kind === 'video').map(({ name }) => name)).toEqual(['240p', '180p'])
  await page.goto('/collections')
  await expect(page.getByRole('listitem').filter({ hasText: 'Trailers' }).first()).toContainText('1 video')
})
