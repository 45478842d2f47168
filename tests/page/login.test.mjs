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
  await expect(page.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible()
  expect(new URL(page.url()).searchParams.get('next')).toBe('/workers')
})

/** What the page shows over everything else when its session has ended. */
const ended = (page) => page.getByRole('dialog', { name: 'Your session has ended' })

/** Also if the dialog is open already: whatever the page asks for is refused. */
async function open(page, name) {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).dispatchEvent('click')
}

async function logInAgain(page) {
  await expect(ended(page).getByLabel('Admin password')).toBeFocused()
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(ended(page)).toHaveCount(0)
}

test('a session that ends is continued in place: what was typed stays, and nobody reads how programs log in', async ({
  page,
}) => {
  await farm.upload(await text('letter'))
  await page.goto('/login?next=/library')
  await password(page).fill(PASSWORD)
  await logIn(page).click()
  await page.getByRole('button', { name: 'Actions for letter' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  const rename = page.getByRole('dialog').filter({ has: page.getByLabel('Title') })
  await rename.getByLabel('Title').fill('postcard')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  await expect(ended(page)).toBeVisible()
  await expect(page.getByText(/Bearer|POST|API token/)).toHaveCount(0)
  // It stays until somebody has logged in, and so does what is below.
  await expect(ended(page).getByLabel('Admin password')).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.type('wrong-password')
  await page.keyboard.press('Enter')
  await expect(ended(page).getByRole('alert')).toHaveText('Incorrect password.')
  await ended(page).getByLabel('Admin password').fill('')
  await logInAgain(page)
  await expect(rename.getByLabel('Title')).toHaveValue('postcard')
  await rename.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row', { name: /postcard/ })).toBeVisible()
})

test('a screen that was refused loads after the login in place, and the page stays live', async ({ page }) => {
  await farm.upload(await text('early'))
  await page.goto('/login?next=/library')
  await password(page).fill(PASSWORD)
  await logIn(page).click()
  await expect(page.getByRole('row', { name: /early/ })).toBeVisible()
  await page.context().clearCookies()
  await open(page, /Alerts/)
  await logInAgain(page)
  await expect(page).toHaveURL(/\/alerts$/)
  await expect(page.getByRole('heading', { name: 'No endpoints yet' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await open(page, /Videos/)
  await expect(page.getByRole('row', { name: /early/ })).toBeVisible()
  await farm.upload(await text('late'))
  await expect(page.getByRole('row', { name: /late/ })).toBeVisible()
})

test('a login in one tab continues the session of the others', async ({ context, page }) => {
  await page.goto('/login?next=/workers')
  await password(page).fill(PASSWORD)
  await logIn(page).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Workers' })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/queue')
  await expect(other.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  await context.clearCookies()
  for (const tab of [page, other]) {
    await open(tab, /Alerts/)
    await expect(ended(tab)).toBeVisible()
  }
  await logInAgain(other)
  await expect(ended(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'No endpoints yet' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
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
