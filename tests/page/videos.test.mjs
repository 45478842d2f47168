// The videos as a list, and one by one.
import { clip, text } from './clips.mjs'
import { expect, refusal, test, useFarm } from './test.mjs'

const farm = useFarm()
const row = (page, title) => page.getByRole('row', { name: new RegExp(title) })
const ids = {}

test.beforeAll(async () => {
  ids.harbour = (await farm.upload(await clip('short', 'harbour'), { collection: 'Sea' })).video_id
  ids.beach = (await farm.upload(await clip('short', 'beach'), { collection: 'Sea' })).video_id
  ids.poem = (await farm.upload(await text('poem'))).video_id
  for (const name of ['harbour', 'beach']) await farm.untilVideo(ids[name], 'ready')
  await farm.untilVideo(ids.poem, 'failed')
})

test('the search is in the URL and survives a reload', async ({ page }) => {
  await page.goto('/library')
  await expect(row(page, 'harbour')).toBeVisible()
  await page.getByLabel('Search by title').fill('ea')
  await expect(row(page, 'harbour')).toHaveCount(0)
  await expect(row(page, 'beach')).toBeVisible()
  await page.getByLabel('View').getByText('Grid').click()
  await page.reload()
  await expect(page.getByLabel('Search by title')).toHaveValue('ea')
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1)

  await page.goto('/library?status=failed')
  await expect(row(page, 'poem')).toBeVisible()
  await expect(row(page, 'beach')).toHaveCount(0)
  await page.goto('/library?collection=Sea')
  await expect(row(page, 'harbour')).toBeVisible()
  await expect(row(page, 'poem')).toHaveCount(0)
  await page.getByLabel('Search by title').fill('nothing like this')
  await page.getByRole('button', { name: 'Show all videos' }).click()
  await expect(row(page, 'poem')).toBeVisible()
})

test('a video is renamed in its place, and another tab sees it', async ({ context, page }) => {
  const other = await context.newPage()
  await other.goto('/library')
  await page.goto(`/library/${ids.harbour}`)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Title', { exact: true }).fill('harbour at night')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('harbour at night')
  await expect(page).toHaveTitle('harbour at night · Framefarm')
  await expect(row(other, 'harbour at night')).toBeVisible()
})

test('a deleted video can be brought back', async ({ page }) => {
  await page.goto('/library')
  await page.getByLabel('Select beach').check()
  await page.getByLabel('Select poem').check()
  await page.getByRole('region', { name: 'Selected videos' }).getByRole('button', { name: 'Delete 2' }).click()
  await expect(row(page, 'beach')).toHaveCount(0)
  await expect(page.getByText('Deleted 2 videos')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'beach')).toBeVisible()
  await expect(row(page, 'poem')).toBeVisible()
})

test('the original comes back as it was sent', async ({ page }) => {
  await page.goto(`/library/${ids.beach}`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Original' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('beach.mkv')
  expect(await download.failure()).toBeNull()
})

test('the URL of a video that does not exist says so', async ({ page, complaints }) => {
  complaints.allow(refusal(404))
  await page.goto('/library/00000000-0000-4000-8000-000000000000')
  await expect(page.getByRole('heading', { name: 'Video not found' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to videos' }).click()
  await expect(row(page, 'beach')).toBeVisible()
})
