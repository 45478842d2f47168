// The door of the page.
import { text } from './clips.mjs'
import { PASSWORD } from './farm.mjs'
import { expect, refusal, test, useFarm } from './test.mjs'

const farm = useFarm({ args: ['--no-worker'] })
test.use({ loggedIn: false })
test.beforeEach(({ complaints }) => complaints.allow(refusal(401)))

const password = (page) => page.getByLabel('Admin password')
const logIn = (page) => page.getByRole('button', { name: 'Log in', exact: true })

test('who is not logged in comes to the login, and then to where they wanted to go', async ({ page }) => {
  await page.goto('/queue?tab=failed')
  await expect(page.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible()
  await expect(page).toHaveTitle('Log in · Framefarm')
  await expect(password(page)).toBeFocused()
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  expect(new URL(page.url()).search).toBe('?tab=failed')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
})

test('a wrong password is refused in words, and the right one is taken afterwards', async ({ page }) => {
  await page.goto('/login')
  await password(page).fill('wrong-password')
  await logIn(page).click()
  await expect(page.getByRole('alert')).toHaveText('Incorrect password.')
  await password(page).fill(PASSWORD)
  await logIn(page).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
})

test('who logs in over a network without encryption is warned', async ({ page }) => {
  const warning = page.getByText('Connection is not encrypted')
  await page.goto('/login')
  await expect(password(page)).toBeVisible()
  await expect(warning).toBeHidden()
  // What a browser says of http:// to another machine.
  await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }))
  await page.reload()
  await expect(warning).toBeVisible()
})

test('a login leads to no other site', async ({ page, baseURL }) => {
  await page.goto('/login?next=//example.org/')
  await password(page).fill(PASSWORD)
  await logIn(page).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  expect(page.url()).toBe(`${baseURL}/`)
})

test('logging out in one tab ends the others too', async ({ context, page }) => {
  await page.goto('/login?next=/workers')
  await password(page).fill(PASSWORD)
  await logIn(page).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Workers' })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/queue')
  await other.getByRole('button', { name: 'Log out' }).click()
  await expect(other.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /Settings/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible()
  expect(new URL(page.url()).searchParams.get('next')).toBe('/settings')
})

test('a dialog does not stay open above the login', async ({ page }) => {
  await farm.upload(await text('letter'))
  await page.goto('/login?next=/library')
  await password(page).fill(PASSWORD)
  await logIn(page).click()
  await page.getByRole('button', { name: 'Actions for letter' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Title').fill('postcard')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the page is sent with a policy that lets nothing else in', async ({ request }) => {
  const answer = await request.get('/')
  expect(answer.headers()['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
      "media-src 'self' blob:; connect-src 'self'; font-src 'self'; worker-src 'self' blob:; manifest-src 'self'; " +
      "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  expect(answer.headers()['x-content-type-options']).toBe('nosniff')
})
