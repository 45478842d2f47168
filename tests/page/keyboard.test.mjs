// Everything without a mouse.
import { clip, text } from './clips.mjs'
import { playing } from './gestures.mjs'
import { expect, test, useFarm } from './test.mjs'

const farm = useFarm()
const videos = {}

test.beforeAll(async () => {
  videos.ready = (await farm.upload(await clip('short', 'meadow'))).video_id
  videos.failed = (await farm.upload(await text('diary'))).video_id
  await farm.untilVideo(videos.ready, 'ready')
  await farm.untilVideo(videos.failed, 'failed')
  await farm.post('/api/tokens', { name: 'old script', scope: 'read' })
})

/**
 * Goes once around the page with Tab. Returns what can be used with a mouse but was not come by, and where the focus
 * was not to be seen. Of groups that arrow keys move in (tabs, radio buttons) one is enough.
 */
async function unreachable(page) {
  await page.evaluate(prepare)
  await page.locator('body').evaluate((body) => body.ownerDocument.activeElement?.blur())
  for (let steps = 0; steps < 400; steps += 1) {
    await page.keyboard.press('Tab')
    const isNew = await page.evaluate(() => window.note())
    if (!isNew && steps > 3) break
  }
  return await page.evaluate(() => ({ missed: window.missed(), unseen: window.unseen }))
}

/** Runs in the page. */
function prepare() {
  const WAYS = [
    'a[href], button, input:not([type=hidden]), select, textarea, summary',
    '[role=button], [role=link], [role=tab], [role=menuitem], [role=checkbox], [role=switch]',
  ].join()
  const inside = (element) => (element.shadowRoot ? [element, ...deep(element.shadowRoot)] : [element])
  const deep = (root) => [...root.querySelectorAll('*')].flatMap(inside)
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true })
  const nameOf = (element) => {
    const words = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)
    return `<${element.localName}> ${words}`.trim()
  }
  const focused = () => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element
  }

  // Where the focus is, something must look different from when it is not; it may be what surrounds a field.
  const lookOf = (element) => {
    // Colours that are on their way are where they will be.
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()
    const { parentElement, nextElementSibling } = element
    const around = [element, parentElement, nextElementSibling, element.getRootNode().host].filter(Boolean)
    return around.map((one) => {
      const style = getComputedStyle(one)
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, transform } = style
      return [outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, transform].join()
    }).join()
  }
  const reached = new Set()
  let last
  window.unseen = []
  window.note = () => {
    if (last && lookOf(last.element) === last.look) window.unseen.push(nameOf(last.element))
    last = undefined
    const element = focused()
    if (!element || element === document.body || reached.has(element)) return false
    reached.add(element)
    last = { element, look: lookOf(element) }
    return true
  }

  const invites = (element) => element !== null && getComputedStyle(element).cursor === 'pointer'
  const isPointedAt = (element) => invites(element) && !invites(element.parentElement)
  const groupOf = (element) => element.closest('[role=tablist], [role=radiogroup]')
  const some = (isRight) => [...reached].some(isRight)
  /** Like `contains`, through shadow roots too. */
  const holds = (outer, inner) => {
    for (let one = inner; one; one = one.parentNode ?? one.host) if (one === outer) return true
    return false
  }
  const isReached = (element) => {
    if (reached.has(element)) return true
    // A picture in a button, or what surrounds a link.
    if (some((one) => one.matches(WAYS) && holds(one, element))) return true
    if (!element.matches(WAYS) && some((one) => holds(element, one))) return true
    // What a control is made of inside, a slider's track.
    const { host } = element.getRootNode()
    if (host && !element.matches(WAYS) && some((one) => holds(host, one))) return true
    const control = element.closest('label')?.control
    if (control && control !== element && isReached(control)) return true
    if (element.matches('[role=tab], [type=radio]') && some((one) => groupOf(element)?.contains(one))) return true
    // The same is done by something else that was come by.
    return element.matches('a[aria-hidden=true]') && some((one) => one.href === element.href)
  }
  window.missed = () =>
    deep(document)
      .filter((element) => element.matches(WAYS) || isPointedAt(element))
      .filter((element) => isShown(element) && !element.closest('[inert], :disabled'))
      .filter((element) => !isReached(element))
      .map(nameOf)
}

const screens = [
  ['/', 'Overview'],
  ['/upload', 'Upload'],
  ['/library', 'Videos'],
  ['/library?view=grid', 'Videos'],
  ['/queue?tab=failed', 'Queue'],
  ['/queue?tab=done', 'Queue'],
  ['/collections', 'Collections'],
  ['/workers', 'Workers'],
  ['/alerts', 'Alerts'],
  ['/settings', 'Settings'],
]
test('everything on every screen is come by with Tab, and one sees where one is', async ({ page }) => {
  const pages = [[`/library/${videos.ready}`, 'meadow'], [`/library/${videos.failed}`, 'diary']]
  for (const [path, title] of [...screens, ...pages]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    // The player comes later than the page.
    if (title === 'meadow') await expect(page.getByRole('button', { name: 'play', exact: true })).toBeVisible()
    expect.soft(await unreachable(page), path).toEqual({ missed: [], unseen: [] })
  }
})

test('the content is one key away, and each page says what it is', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  const pages = {
    u: 'Upload',
    v: 'Videos',
    c: 'Collections',
    q: 'Queue',
    w: 'Workers',
    a: 'Alerts',
    s: 'Settings',
    o: 'Overview',
  }
  for (const [key, title] of Object.entries(pages)) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeFocused()
    await expect(page).toHaveTitle(`${title} · Framefarm`)
  }
  await page.keyboard.press('/')
  await expect(page.getByLabel('Search by title')).toBeFocused()
  await page.keyboard.type('mead')
  await expect(page.getByRole('row', { name: /diary/ })).toHaveCount(0)
})

test('the palette finds a video, and the help tells the keys and switches them off', async ({ page }) => {
  await page.goto('/workers')
  await expect(page.getByRole('heading', { level: 1, name: 'Workers' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog').getByPlaceholder('Search pages and videos')).toBeFocused()
  await page.keyboard.type('meadow')
  await expect(page.getByRole('dialog').getByText('meadow')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'meadow' })).toBeVisible()

  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  // While the palette closes, keys are still its own.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('?')
  await expect(help).toContainText('Go to Workers')
  await help.getByLabel('Single-key shortcuts').press('Space')
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.keyboard.press('?')
  await expect(help).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1, name: 'meadow' })).toBeVisible()
})

test('a failed job is retried and cleared with keys, and the focus stays where the work is', async ({ page }) => {
  await farm.post('/api/queue/pause')
  await page.goto('/queue?tab=failed')
  await page.getByLabel(/^Select diary/).focus()
  await page.keyboard.press('Space')
  await expect(page.getByText('1 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Retry selected' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 job requeued.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No failed jobs' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await failAgain()

  const actions = page.getByRole('button', { name: 'Actions for diary' })
  await actions.focus()
  await page.keyboard.press('Enter')
  await untilMenuHasFocus(page)
  await page.keyboard.press('Escape')
  await expect(actions).toBeFocused()
  const clear = page.getByRole('button', { name: 'Clear failed…' })
  await clear.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Videos and files are kept. This cannot be undone.')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(clear).toBeFocused()
})

test('a menu and a dialog whose buttons went away leave the focus at the title', async ({ page }) => {
  await farm.post('/api/queue/pause')
  await page.goto('/queue?tab=failed')
  await page.getByRole('button', { name: 'Actions for diary' }).focus()
  await page.keyboard.press('Enter')
  await untilMenuHasFocus(page)
  await farm.post(`/api/videos/${videos.failed}/retry`)
  await expect(page.getByRole('heading', { name: 'No failed jobs' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await failAgain()

  await farm.post('/api/queue/pause')
  await page.getByRole('button', { name: 'Clear failed…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('This cannot be undone.')
  await farm.post(`/api/videos/${videos.failed}/retry`)
  await expect(page.getByText('No failed jobs')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await failAgain()
})

/** The job that waits is tried, and fails as before. */
async function failAgain() {
  await farm.post('/api/queue/resume')
  await farm.untilVideo(videos.failed, 'failed')
}

/** A menu that is not all there yet does not hear its keys. */
async function untilMenuHasFocus(page) {
  await expect(page.locator('[role=menu]:focus, [role=menu] :focus')).toHaveCount(1)
}

test('a video is deleted with keys, and the focus goes to the one in its place', async ({ page }) => {
  await farm.upload(await clip('short', 'passing cloud'))
  await page.goto('/library')
  const menu = (title) => page.getByRole('button', { name: `Actions for ${title}` })
  await expect(menu('passing cloud')).toBeVisible()
  await menu('passing cloud').focus()
  await page.keyboard.press('Enter')
  const remove = page.getByRole('menuitem', { name: 'Delete' })
  await untilMenuHasFocus(page)
  await page.keyboard.press('End')
  await expect(remove).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(menu('passing cloud')).toHaveCount(0)
  await expect(page.getByRole('row').nth(1).getByRole('link')).toBeFocused()

  // A bar that goes away leaves the focus at the title.
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await page.getByLabel('Select passing cloud').press('Space')
  await page.getByRole('button', { name: 'Delete 1' }).press('Enter')
  await expect(menu('passing cloud')).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

test('a worker is drained with keys', async ({ page }) => {
  await page.goto('/workers')
  const actions = page.getByRole('button', { name: /^Actions for .*-local/ })
  await actions.focus()
  await page.keyboard.press('Enter')
  const drain = page.getByRole('menuitem', { name: 'Drain…' })
  await untilMenuHasFocus(page)
  // Home is the first item, wherever the menu put the focus.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  await expect(drain).toBeFocused()
  await page.keyboard.press('Enter')
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Drain' })
  await confirm.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article', { name: /-local/ })).toContainText('Draining')
  await farm.post(`/api/workers/${(await farm.api('/api/workers')).items[0].id}/drain`, { draining: false })
})

test('a video is played, moved in, and its quality chosen with keys', async ({ page }) => {
  await page.goto(`/library/${videos.ready}`)
  const play = page.getByRole('button', { name: 'play', exact: true })
  await play.focus()
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await playing(page)).at).toBeGreaterThan(0.2)
  const quality = page.getByRole('button', { name: 'quality' })
  await quality.focus()
  await page.keyboard.press('Enter')
  // At once, as somebody types who knows the way: 360p has the focus, below it is 240p.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const chosen = page.getByRole('menuitemradio', { name: '180p', includeHidden: true })
  await expect(chosen).toHaveAttribute('aria-checked', 'true')
  await expect(quality).toBeFocused()
})

test('files are chosen with keys', async ({ page }) => {
  // The browser is told before the page is there: a dialog that nobody takes over cannot be seen.
  const chooser = page.waitForEvent('filechooser')
  await page.goto('/upload')
  await page.getByRole('button', { name: 'Select files' }).press('Enter')
  await (await chooser).setFiles(await clip('short', 'by hand'))
  await expect(page.getByRole('link', { name: 'Open video' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear finished' }).press('Enter')
  await expect(page.getByText('No uploads yet.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Upload' })).toBeFocused()
})
