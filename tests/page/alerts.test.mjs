// Alerts: endpoints, tests of them, deliveries and their outcomes.
import { aGpu, joinWithGpus } from './gpus.mjs'
import { copied } from './gestures.mjs'
import { isSigned, Receiver } from './receiver.mjs'
import { expect, test, useFarm } from './test.mjs'

const receiver = await Receiver.open()
const farm = useFarm({
  args: ['--no-worker'],
  env: {
    FRAMEFARM_ALERT_WEBHOOK_ALLOW: receiver.place,
    FRAMEFARM_ALERT_WEBHOOK_URL: receiver.url('/of-the-settings'),
  },
})
test.afterAll(() => receiver.close())
test.beforeEach(() => {
  receiver.answer(200, 'ok')
  receiver.heard.length = 0
})

const region = (page, name) => page.getByRole('region', { name })
const row = (page, list, name) => region(page, list).getByRole('listitem').filter({ hasText: name })

test('an endpoint is added, shows its secret once, is tested, gets a new secret, and is deleted', async ({ page }) => {
  await page.goto('/alerts')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('example')
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  await expect(dialog.getByText('Enter a URL that begins with https://')).toBeVisible()

  await dialog.getByLabel('URL').fill('https://hooks.slack.com/services/T0/B0/x')
  await expect(dialog.getByLabel('Type')).toContainText('Auto-detect: Slack')
  await dialog.getByLabel('URL').fill(receiver.url('/hook'))
  await expect(dialog.getByLabel('Type')).toContainText('Auto-detect: Signed webhook')
  await dialog.getByLabel('Name').fill('billing')
  await dialog.getByLabel('Selected events').check()
  await dialog.getByRole('checkbox', { name: 'Video ready' }).check()
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  await expect(dialog.getByText('The secret of billing. Copy it now: it is not shown again.')).toBeVisible()
  const secret = await copied(page, 'secret')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  const billing = row(page, 'Endpoints', 'billing')
  await expect(billing).toContainText('Enabled')
  await billing.getByRole('button', { name: 'Send test to billing' }).click()
  await expect(billing.getByText('Test delivered')).toBeVisible()
  await expect(billing).toContainText('HTTP 200')
  expect(isSigned(receiver.heard.at(-1), secret)).toBe(true)

  await billing.getByRole('button', { name: 'Actions for billing' }).click()
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await expect(dialog.getByText(/The old secret stays valid until/)).toBeVisible()
  const next = await copied(page, 'secret')
  expect(next).not.toBe(secret)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await billing.getByRole('button', { name: 'Send test to billing' }).click()
  await expect.poll(() => receiver.heard.length).toBe(2)
  for (const one of [secret, next]) expect(isSigned(receiver.heard.at(-1), one)).toBe(true)

  await billing.getByRole('button', { name: 'Actions for billing' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete endpoint' }).click()
  await expect(billing).toHaveCount(0)
})

test('a refused test says what the receiver answered, and can be sent again from the log', async ({ page }) => {
  const made = { name: 'moody', url: receiver.url('/moody'), kind: 'slack' }
  const { endpoint } = await farm.post('/api/alerts/endpoints', made)
  receiver.answer(404, 'no_team')
  await page.goto('/alerts')
  const moody = row(page, 'Endpoints', 'moody')
  await moody.getByRole('button', { name: 'Send test to moody' }).click()
  await expect(moody.getByText('Test failed')).toBeVisible()
  await expect(moody.getByRole('status')).toContainText('404')

  const sent = row(page, 'Deliveries', 'to moody')
  await expect(sent).toHaveCount(1)
  await expect(sent).toContainText('Failed')
  await sent.getByText('Attempts and message').click()
  await expect(sent.getByLabel('Message', { exact: true })).toContainText('"blocks"')

  receiver.answer(200, 'ok')
  await sent.getByRole('button', { name: /^Send again to moody/ }).click()
  await expect(sent).toHaveCount(2)
  await expect(sent.first()).toContainText('Delivered')
  await page.locator('input[aria-label="Status"]').click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await expect(page).toHaveURL(/status=failed/)
  await expect(sent).toHaveCount(1)

  await moody.getByRole('button', { name: 'Actions for moody' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(moody).toContainText('Disabled')
  await farm.api(`/api/alerts/endpoints/${endpoint.id}`, { method: 'DELETE' })
})

test('an alert is on the page as soon as it is raised; the endpoint of the settings hears of it and stays as it is', async ({
  page,
}) => {
  await page.goto('/alerts')
  const settings = region(page, 'Endpoints').getByRole('listitem').filter({ hasText: 'From the server settings' })
  await expect(settings).toBeVisible()
  await expect(settings.getByRole('button')).toHaveCount(1)
  await expect(region(page, 'Active alerts')).toContainText('No active alerts.')

  const tell = await joinWithGpus(farm, 'north')
  await tell(aGpu(1, { state: 'quarantined', reason: 'its driver does not answer' }))
  await expect(region(page, 'Active alerts')).toContainText('GPU quarantined')
  await expect(page.getByRole('link', { name: /^Alerts ?, 1 active/ })).toBeVisible()
  await expect.poll(() => receiver.heard.map(({ path }) => path)).toContain('/of-the-settings')
  await expect(row(page, 'Deliveries', 'GPU').first()).toContainText('Delivered')

  await tell(aGpu(1))
  await expect(region(page, 'Active alerts')).toContainText('No active alerts.')
})
