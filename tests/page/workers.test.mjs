// Who does the work.
import { hostname } from 'node:os'
import { join } from 'node:path'
import { aGpu, joinWithGpus } from './gpus.mjs'
import { clip } from './clips.mjs'
import { startWorker } from './farm.mjs'
import { copied } from './gestures.mjs'
import { expect, test, useFarm } from './test.mjs'

const farm = useFarm()
const card = (page, name) => page.getByRole('article', { name, exact: true })
const LOCAL = /-local$/

test('a drained worker accepts no new jobs until draining ends', async ({ page }) => {
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
  await expect(page.getByText('No worker accepts new jobs', { exact: true })).toBeVisible()
  await expect(page.getByRole('list', { name: /^Waiting jobs/ })).toContainText('patient')
  await page.getByRole('link', { name: 'View workers' }).click()
  await card(page, LOCAL).getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Stop draining' }).click()
  await expect(page.getByText(/-local accepts jobs again\./)).toBeVisible()
  await page.goto(`/library/${video_id}`)
  await expect(page.getByRole('button', { name: 'Transcode again' })).toBeVisible({ timeout: 40_000 })
})

test('the command that the page shows makes another machine a worker, once', async ({ page }) => {
  await page.goto('/workers')
  await page.getByRole('button', { name: 'Add worker' }).click()
  const panel = page.getByRole('region', { name: 'Add worker' })
  const command = await copied(page, 'join command')
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
  await expect(page.getByRole('dialog')).toContainText('The worker is removed from the farm')
  await page.getByRole('button', { name: 'Go back' }).click()
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

test('the GPUs of a worker are live, and one that fails is reported', async ({ page }) => {
  const tell = await joinWithGpus(farm, 'render box')
  await tell(aGpu(0), aGpu(1, { percent: 70 }))
  const asked = []
  let lastAsked = Date.now()
  page.on('request', (request) => {
    asked.push(new URL(request.url()).pathname)
    lastAsked = Date.now()
  })
  await page.goto('/workers')
  const gpus = card(page, 'render box').getByRole('region', { name: 'GPUs of render box' })
  await expect(gpus).toContainText('2 GPUs: 2 ready')
  const [first, second] = [0, 1].map((index) => gpus.getByRole('listitem', { name: 'NVIDIA L4' }).nth(index))
  await expect(first).toContainText('40%')
  await expect(second).toContainText('70%')
  await expect(first.getByRole('img')).toHaveAccessibleName(/^Last 4 s: encoder 20% to 40%, now 40%; memory 25%;/)

  // What is known of its start comes as events, which make the page ask once more.
  await expect.poll(() => Date.now() - lastAsked).toBeGreaterThan(3_000)
  asked.length = 0
  const heights = () => gpus.evaluate((list) => list.getBoundingClientRect().height)
  const before = await heights()
  await tell(aGpu(0, { percent: 100, sessions: 3 }), aGpu(1, { percent: 0, sessions: 0 }))
  await expect(first).toContainText('3 of 3')
  await expect(first.getByRole('img')).toHaveAccessibleName(/encoder 20% to 100%, now 100%/)
  await expect(second.getByRole('img')).toHaveAccessibleName(/encoder 0% to 70%, now 0%/)
  expect(asked, 'numbers that move are no reason to ask').toEqual([])
  expect(await heights(), 'nothing jumps').toBe(before)

  await tell(aGpu(0, { state: 'lost', reason: 'its driver does not answer', sample: null }), aGpu(1))
  await expect(first).toContainText('Lost')
  await expect(first).toContainText('Its driver does not answer.')
  await page.goto('/')
  const notice = page.getByText('render box: NVIDIA L4 (GPU-5c2f00): its driver does not answer')
  await expect(page.getByText('1 GPU is unavailable')).toBeVisible()
  await expect(notice).toBeVisible()
  await tell(aGpu(0), aGpu(1))
  await expect(notice).toHaveCount(0)
  await page.goto('/settings')
  const audit = page.getByRole('region', { name: 'Audit log' })
  await expect(audit).toContainText(/GPU recovered NVIDIA L4 \(GPU-5c2f00\): accepts jobs again/)
  await expect(audit).toContainText(/GPU quarantined NVIDIA L4 \(GPU-5c2f00\): its driver does not answer/)
})

test('sixteen GPUs fit a wide window and a phone, and open with keys', async ({ page }) => {
  const tell = await joinWithGpus(farm, 'great box')
  await tell(...Array.from({ length: 16 }, (_, number) => aGpu(number, { percent: number * 6 })))
  await page.goto('/workers')
  const gpus = card(page, 'great box').getByRole('region', { name: 'GPUs of great box' })
  await expect(gpus).toContainText('16 GPUs: 16 ready')
  await expect(gpus.getByRole('img')).toHaveCount(0)
  const last = gpus.getByRole('listitem', { name: 'NVIDIA L4' }).last()
  await last.getByText('History and encoders').focus()
  await page.keyboard.press('Enter')
  await expect(last.getByRole('img')).toBeVisible()
  await expect(last).toContainText('h264_nvenc 480 fps at 1080p, up to 4096 px')
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    const beyond = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await expect.poll(beyond, `at ${width} px`).toBe(0)
  }
})

test('a worker without a GPU says why, and that is no problem', async ({ page }) => {
  const why = 'no NVIDIA driver on this machine (libnvidia-ml.so.1 was not found)'
  await farm.register('plain box', { cores: 4, encoders: ['libx264'], gpu_missing: [why] })
  await page.goto('/workers')
  await expect(card(page, 'plain box')).toContainText(`No GPU: ${why}`)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a job that is left to a worker with a GPU says which worker it waits for', async ({ page }) => {
  const tell = await joinWithGpus(farm, 'quick box')
  await tell(aGpu(0))
  await farm.upload(await clip('short', 'well worth a GPU'))
  await page.goto('/queue')
  const waiting = page.getByRole('list', { name: /^Waiting jobs/ })
  await expect(waiting).toContainText('well worth a GPU')
  await expect(waiting).toContainText(/Waiting for (quick|render|great) box, at most \d+ s\./)
})
