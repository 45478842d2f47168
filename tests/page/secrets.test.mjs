// What is shown once: it must not go before somebody has it.
import { copied } from './gestures.mjs'
import { expect, test, useFarm } from './test.mjs'

const farm = useFarm({ args: ['--no-worker'] })
const HOOK = 'https://hooks.example.org/'

/** Leads to each dialog that shows a secret, and says what its button copies. */
const dialogs = {
  'a new token': async (page) => {
    await page.goto('/settings')
    await makeToken(page, 'nightly script')
    return 'token'
  },
  'the secret of a new endpoint': async (page) => {
    await page.goto('/alerts')
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByRole('dialog').getByLabel('URL').fill(HOOK)
    await page.getByRole('dialog').getByLabel('Name').fill('billing')
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
    return 'secret'
  },
  'a rotated secret': async (page) => {
    await farm.post('/api/alerts/endpoints', { name: 'ledger', url: HOOK })
    await page.goto('/alerts')
    await page.getByRole('button', { name: 'Actions for ledger' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    return 'secret'
  },
  'a rotated worker key': async (page) => {
    await farm.register('attic')
    await page.goto('/workers')
    await page.getByRole('button', { name: 'Actions for attic' }).click()
    await page.getByRole('menuitem', { name: 'Rotate key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
    return 'new key'
  },
}

for (const [what, show] of Object.entries(dialogs)) {
  test(`${what} stays until somebody has copied it`, async ({ page }) => {
    const word = await show(page)
    const copy = page.getByRole('button', { name: `Copy ${word}`, exact: true })
    // A question that was answered may still be on its way out.
    const dialog = page.getByRole('dialog').filter({ has: copy })
    await expect(copy).toBeFocused()
    const warning = dialog.getByRole('alert')
    await expect(warning).toHaveCount(0)
    const ways = {
      Escape: () => page.keyboard.press('Escape'),
      'a click outside': () => page.mouse.click(8, 400),
      'the button in the corner': () => dialog.getByRole('button', { name: 'Close' }).click(),
    }
    for (const [way, close] of Object.entries(ways)) {
      await close()
      await expect(warning, `after ${way}`).toHaveText('Copy it before you close this: it cannot be shown again.')
      await expect(copy).toBeVisible()
    }

    const secret = await copied(page, word)
    expect(secret.length).toBeGreaterThan(20)
    await expect(warning).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    expect(await page.content()).not.toContain(secret)
  })
}

test('who copied a token by hand says so, and the next one stays as well', async ({ page }) => {
  await page.goto('/settings')
  const dialog = page.getByRole('dialog')
  for (const name of ['by hand', 'another']) {
    await makeToken(page, name)
    await expect(dialog.getByRole('button', { name: 'Copy token' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(dialog.getByRole('alert')).toBeVisible()
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await expect(dialog).toHaveCount(0)
  }
})

async function makeToken(page, name) {
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
}
