// What fails, and what people do about it.
import { clip, text } from './clips.mjs'
import { percent } from './gestures.mjs'
import { expect, test, useFarm } from './test.mjs'

const farm = useFarm({ env: { FRAMEFARM_WORKER_X264_PRESET: 'medium' } })

const WHY = 'The file is not a video, or its beginning is damaged.'
const row = (page, title) => page.getByRole('main').getByRole('listitem').filter({ hasText: title })
const tab = (page, name) => page.getByRole('tab', { name: new RegExp(`^${name}`) })
const dialog = (page) => page.getByRole('dialog')

/** Uploads texts that fail. */
async function broken(...names) {
  const uploads = []
  for (const name of names) uploads.push(await farm.upload(await text(name)))
  for (const { video_id } of uploads) await farm.untilVideo(video_id, 'failed')
  return uploads
}

test('a text that calls itself a video fails, and the page says why and what to do', async ({ page }) => {
  const [{ video_id, job_id }] = await broken('letter')
  await page.goto(`/library/${video_id}`)
  const panel = page.getByRole('region', { name: 'What went wrong' })
  await expect(panel.getByRole('heading')).toHaveText(WHY)
  await expect(panel).toContainText("Retrying won't help. Check that the file plays on your computer")
  await expect(panel.getByRole('link', { name: 'Upload again' })).toBeVisible()
  await expect(page.getByRole('list', { name: /^Attempts of job/ })).toContainText(WHY)

  await page.goto('/')
  await expect(page.getByRole('region', { name: 'Recent failures' })).toContainText('letter')
  await page.goto('/library')
  await expect(page.getByRole('row', { name: /letter/ })).toContainText(WHY)
  await page.goto('/queue?tab=failed')
  await expect(row(page, 'letter')).toContainText(WHY)
  await expect(row(page, 'letter')).toContainText("Retrying won't help.")

  await page.goto(`/library/${video_id}`)
  await panel.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('Requeued “letter”.')).toBeVisible()
  const failedAgain = ({ job }) => job.requeue_count === 1 && job.status === 'failed'
  const { attempts } = await farm.until(`/api/queue/jobs/${job_id}`, failedAgain)
  expect(attempts).toHaveLength(2)
  await expect(panel.getByRole('heading')).toHaveText(WHY)
  await expect(page.getByRole('list', { name: /^Attempts of job/ }).getByRole('listitem')).toHaveCount(2)
})

test('failed jobs are retried together, and the page reports how it went', async ({ page }) => {
  await broken('first letter', 'second letter', 'third letter', 'fourth letter')
  await page.goto('/queue?tab=failed')
  await page.getByLabel('Search by title').fill('letter')
  await expect(page).toHaveURL(/search=letter/)
  for (const name of ['first', 'second', 'third']) await page.getByLabel(new RegExp(`^Select ${name} letter`)).check()
  await expect(page.getByText('3 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Retry selected' }).click()
  await expect(page.getByText('3 jobs requeued.')).toBeVisible()
  await expect(row(page, 'first letter')).toBeVisible()

  const { errors } = await farm.until('/api/queue/depth', ({ pending, running }) => pending + running === 0)
  await page.getByLabel('Clear search').click()
  await page.getByRole('button', { name: 'Retry all failed…' }).click()
  await dialog(page).getByRole('button', { name: `Retry ${errors} jobs` }).click()
  await expect(page.getByText(`${errors} jobs requeued.`)).toBeVisible()
  await expect(row(page, 'third letter')).toContainText(WHY)
})

test('jobs are chosen by what went wrong, and the queue goes out as a file and comes in again', async ({ page }) => {
  await broken('misfit')
  await page.goto('/queue?tab=failed')
  await page.locator('input[aria-label="Error class"]').click()
  await page.getByRole('option', { name: 'Storage failed' }).click()
  await expect(page.getByText('No matching jobs')).toBeVisible()
  await page.locator('input[aria-label="Error class"]').click()
  await page.getByRole('option', { name: 'Invalid video file' }).click()
  await expect(row(page, 'misfit')).toBeVisible()
  await page.getByLabel('Search by title').fill('misfit')
  await expect(page).toHaveURL(/misfit/)
  await page.getByRole('button', { name: 'Clear all matching…' }).click()
  await expect(dialog(page)).toContainText('Clear 1 failed job')
  await page.keyboard.press('Escape')

  const more = page.getByRole('button', { name: 'Export and import' })
  await more.click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export queue' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^framefarm-queue-.*\.json$/)
  const file = test.info().outputPath('queue.json')
  await download.saveAs(file)
  await more.click()
  await page.getByRole('menuitem', { name: 'Import…' }).click()
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog(page).getByRole('button', { name: 'File', exact: true }).click(),
  ])
  await chooser.setFiles(file)
  await expect(dialog(page)).toContainText(/^.*0 jobs will be imported\. \d+ already exists?\./)
  await expect(dialog(page).getByRole('button', { name: /^Import/ })).toHaveCount(0)
})

test('a running job is cancelled, says so everywhere, and starts again when it is retried', async ({ page }) => {
  const { video_id } = await farm.upload(await clip('long', 'endless'))
  await page.goto(`/library/${video_id}`)
  const bar = page.getByRole('region', { name: 'Progress' }).getByRole('progressbar', { name: 'Quality 360p' })
  await expect.poll(() => percent(bar), { timeout: 40_000 }).toBeGreaterThan(1)

  await page.goto('/queue')
  await expect(page.getByRole('progressbar', { name: 'Progress of endless' })).toBeVisible()
  await page.getByRole('button', { name: 'Actions for endless' }).click()
  await page.getByRole('menuitem', { name: 'Cancel job…' }).click()
  await expect(dialog(page)).toContainText('stops working on endless. You can retry it later.')
  await dialog(page).getByRole('button', { name: 'Cancel job' }).click()
  await expect(page.getByText('Cancelled “endless”.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Queue is empty' })).toBeVisible()

  await tab(page, 'Cancelled').click()
  await expect(row(page, 'endless')).toContainText('Cancelled')
  await page.goto(`/library/${video_id}`)
  const panel = page.getByRole('region', { name: 'What went wrong' })
  await expect(panel.getByRole('heading')).toHaveText('Transcoding was cancelled.')
  await panel.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => percent(bar), { timeout: 40_000 }).toBeGreaterThan(1)

  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Cancel transcoding' }).click()
  await expect(panel.getByRole('heading')).toHaveText('Transcoding was cancelled.')
  await page.reload()
  await expect(panel.getByRole('heading')).toHaveText('Transcoding was cancelled.')
})

test('what the encoder complains of is on the page while it works', async ({ page }) => {
  const { video_id } = await farm.upload(await clip('scratched', 'old reel'))
  await page.goto(`/library/${video_id}`)
  const progress = page.getByRole('region', { name: 'Progress' })
  const said = progress.getByRole('button', { name: 'Encoder log' })
  await said.click({ timeout: 40_000 })
  const lines = progress.getByText(/damaged at \d+ \d+|Error at MB/)
  await expect(lines).toBeVisible()
  // They go on with the video, and come from the stream alone.
  const first = await lines.textContent()
  await page.evaluate(() => (window.sameDocument = true))
  await expect(lines).not.toHaveText(first)
  expect(first.split('\n').length).toBeLessThanOrEqual(20)
  expect(await page.evaluate(() => window.sameDocument)).toBe(true)

  await farm.post(`/api/videos/${video_id}/cancel`)
  await expect(said).toHaveCount(0)
})

test('a paused queue says so on each screen, keeps its order, and goes on', async ({ page }) => {
  await page.goto('/queue')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(page.getByText('Queue paused. Running jobs will finish.')).toBeVisible()
  const uploads = []
  for (const name of ['early', 'late', 'urgent']) uploads.push(await farm.upload(await clip('short', name)))
  const waiting = page.getByRole('list', { name: /^Waiting jobs/ }).getByRole('listitem')
  await expect(waiting).toHaveCount(3)
  await expect(waiting.first()).toContainText('early')
  await expect(waiting.first()).toContainText('The transcode queue is paused.')

  await page.getByRole('button', { name: 'Actions for urgent' }).click()
  await page.getByRole('menuitem', { name: /^High/ }).click()
  await expect(waiting.first()).toContainText('urgent')
  await page.reload()
  await expect(waiting.first()).toContainText('urgent')
  await page.goto('/')
  await expect(page.getByText('The queue is paused', { exact: true })).toBeVisible()
  await page.goto(`/library/${uploads[0].video_id}`)
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText('The transcode queue is paused.')

  await page.goto('/queue')
  await page.getByLabel('Select all 3 listed jobs').check()
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await dialog(page).getByRole('button', { name: 'Cancel 3 jobs' }).click()
  await expect(page.getByText('3 jobs cancelled.')).toBeVisible()
  await tab(page, 'Cancelled').click()
  for (const name of ['early', 'late', 'urgent']) await page.getByLabel(new RegExp(`^Select ${name}`)).check()
  await page.getByRole('button', { name: 'Retry selected' }).click()
  await expect(page.getByText('3 jobs requeued.')).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).first().click()
  await expect(page.getByText('Queue resumed.')).toBeVisible()
  await tab(page, 'Done').click()
  for (const name of ['early', 'late', 'urgent']) {
    await expect(row(page, name)).toContainText('Done', { timeout: 40_000 })
  }
})

test('jobs that wait for no worker say so, and what to do', async ({ page }) => {
  await farm.post(`/api/workers/${(await farm.api('/api/workers')).items[0].id}/disable`)
  const { video_id } = await farm.upload(await clip('short', 'lonely'))
  await page.goto('/')
  await expect(page.getByText('No workers online', { exact: true })).toBeVisible()
  await expect(page.getByText('1 job is waiting for a worker.')).toBeVisible()
  await page.getByRole('link', { name: 'View workers' }).click()
  await page.getByRole('button', { name: /^Actions for .*-local/ }).click()
  await page.getByRole('menuitem', { name: 'Enable' }).click()
  await expect(page.getByText(/^Enabled .*-local\./)).toBeVisible()
  await page.goto(`/library/${video_id}`)
  await expect(page.getByRole('button', { name: 'Transcode again' })).toBeVisible({ timeout: 40_000 })
})
