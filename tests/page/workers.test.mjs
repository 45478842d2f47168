// Who does the work.
import { hostname } from 'node:os'
import { join } from 'node:path'
import { clip } from './clips.mjs'
import { startWorker } from './farm.mjs'
import { copied } from './gestures.mjs'
import { expect, test, useFarm } from './test.mjs'

const farm = useFarm()
const card = (page, name) => page.getByRole('article', { name, exact: true })
const LOCAL = /-local$/

test('a worker that is drained takes nothing new, and takes it when the draining ends', async ({ page }) => {
  await page.goto('/workers')
  await expect(card(page, LOCAL)).toContainText('Idle')
  await card(page, LOCAL).getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Drain…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click()
  await expect(card(page, LOCAL)).toContainText('Draining')
  await page.reload()
  await expect(card(page, LOCAL)).toContainText('Draining')

  const { video_id } = await farm.upload(await clip('short', 'patient'))
  await page.goto('/queue')
  await expect(page.getByText('No worker takes new jobs', { exact: true })).toBeVisible()
  await expect(page.getByRole('list', { name: /^Waiting jobs/ })).toContainText('patient')
  await page.getByRole('link', { name: 'Go to the workers' }).click()
  await card(page, LOCAL).getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Stop draining' }).click()
  await expect(page.getByText(/-local takes jobs again\./)).toBeVisible()
  await page.goto(`/library/${video_id}`)
  await expect(page.getByRole('button', { name: 'Transcode again' })).toBeVisible({ timeout: 40_000 })
})

test('the command that the page shows makes another machine a worker, once', async ({ page }) => {
  await page.goto('/workers')
  await page.getByRole('button', { name: 'Add a worker' }).click()
  const panel = page.getByRole('region', { name: 'Add a worker' })
  const command = await copied(page, 'the join command')
  expect(command).toMatch(/^framefarm-worker run --api http:\/\/127\.0\.0\.1:\d+ --join ffj_\S+ --scratch \.\/scratch$/)
  const [, ...args] = command.split(' ')
  const worker = await startWorker(args, join(farm.dir, 'another machine'))
  try {
    await expect(panel.getByRole('status')).toContainText(`${hostname()} joined`)
    await expect(card(page, hostname())).toContainText('Remote')
    await expect(card(page, hostname())).toContainText('Idle')
    const second = await startWorker(args, join(farm.dir, 'a third machine'))
    expect(await second.exited).not.toBe(0)
    await second.end()
    await expect(page.getByRole('article')).toHaveCount(2)
  } finally {
    await worker.end()
  }
})

test('a worker that is removed is forgotten, after a question', async ({ page }) => {
  await farm.register('old laptop')
  await page.goto('/workers')
  await card(page, 'old laptop').getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await expect(page.getByRole('dialog')).toContainText('The farm forgets it.')
  await page.getByRole('button', { name: 'Keep it as it is' }).click()
  await expect(card(page, 'old laptop')).toBeVisible()
  await card(page, 'old laptop').getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(card(page, 'old laptop')).toHaveCount(0)
})

test('a worker that joins or leaves shows up without a reload', async ({ page }) => {
  await page.goto('/workers')
  await expect(card(page, LOCAL)).toBeVisible()
  const { worker_id } = await farm.register('visitor')
  await expect(card(page, 'visitor')).toBeVisible()
  await farm.api(`/api/workers/${worker_id}`, { method: 'DELETE' })
  await expect(card(page, 'visitor')).toHaveCount(0)
})
