// Tokens, colours, and who did what.
import { copied } from './gestures.mjs'
import { expect, test, useFarm } from './test.mjs'

const farm = useFarm({ args: ['--no-worker'] })

test('a token is shown once, works, and ends when it is revoked', async ({ page }) => {
  await page.goto('/settings')
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New token' })
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByText('Enter a name that says what the token is for')).toBeVisible()
  await dialog.getByLabel('Name').fill('nightly script')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByText('Created the token nightly script. Copy it now: it is not shown again.')).toBeVisible()
  const token = await copied(page, 'token')
  const ask = () => fetch(`${farm.url}/api/videos`, { headers: { Authorization: `Bearer ${token}` } })
  expect((await ask()).status).toBe(200)

  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.reload()
  const tokens = page.getByRole('region', { name: 'API tokens' })
  await expect(tokens.getByRole('listitem').filter({ hasText: 'nightly script' })).toContainText('Read')
  expect(await page.content()).not.toContain(token)
  await page.getByRole('button', { name: 'Revoke nightly script' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click()
  await expect(page.getByText('No tokens yet.')).toBeVisible()
  expect((await ask()).status).toBe(401)
  const audit = page.getByRole('region', { name: 'Audit log' })
  await expect(audit).toContainText(/Token revoked nightly script \(read\)/)
  await expect(audit).toContainText(/Token created nightly script \(read\)/)
})

test('a chosen colour scheme survives a reload', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/settings')
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
  await expect.poll(scheme).toBe('light')
  await page.getByRole('button', { name: /^Colour scheme:/ }).click()
  await page.getByRole('menuitem', { name: 'Dark' }).click()
  await expect.poll(scheme).toBe('dark')
  await page.reload()
  await expect.poll(scheme).toBe('dark')
})

test('the audit log says who did what', async ({ page }) => {
  await farm.post('/api/queue/pause')
  await page.goto('/settings')
  const audit = page.getByRole('region', { name: 'Audit log' })
  await expect(audit.getByRole('listitem').first()).toContainText(/paused/i)
  await farm.post('/api/queue/resume')
  await expect(audit.getByRole('listitem').first()).toContainText(/resumed/i)
  await audit.getByLabel('Search the audit log').fill('no such word')
  await expect(audit.getByText('No matching entries')).toBeVisible()
  await expect(audit.getByRole('listitem')).toHaveCount(0)
  await audit.getByRole('button', { name: 'Clear filters' }).click()
  await expect(audit.getByRole('listitem').first()).toContainText(/resumed/i)
  await expect(audit.getByRole('link', { name: /^Queue ?: / }).first()).toBeVisible()
})

test('the audit log finds what is far down, by person and by kind', async ({ page }) => {
  await farm.post('/api/tokens', { name: 'rare', scope: 'admin' }).then(({ token }) =>
    farm.api('/api/queue/pause', { method: 'POST', headers: { Cookie: '', Authorization: `Bearer ${token}` } }),
  )
  for (let times = 0; times < 60; times += 1) {
    await farm.post('/api/queue/resume')
    await farm.post('/api/queue/pause')
  }
  await page.goto('/settings?who=token:rare')
  const audit = page.getByRole('region', { name: 'Audit log' })
  await expect(audit.getByRole('listitem')).toHaveCount(1)
  await expect(audit.getByRole('listitem')).toContainText('Token rare')
  await audit.locator('input[aria-label="Event"]').click()
  await page.getByRole('option', { name: 'Queue resumed' }).click()
  await expect(page).toHaveURL(/kind=queue_resumed/)
  await expect(audit.getByText('No matching entries')).toBeVisible()
})
