// What people do with a page, beyond clicking.
import { expect } from '@playwright/test'

/** Drops files from the desktop onto any screen: the browser itself does it, not a script of the page. */
export async function drop(page, files) {
  const letGo = await drag(page, files)
  await letGo()
}

/** Holds files over any screen until the page says what it will do with them. Returns what lets go of them. */
export async function drag(page, files) {
  const session = await page.context().newCDPSession(page)
  const { width, height } = page.viewportSize()
  const data = { items: [], files, dragOperationsMask: 1 }
  const send = (type) => session.send('Input.dispatchDragEvent', { type, x: width / 2, y: height / 2, data })
  await send('dragEnter')
  // A browser tells of files that are held still over and over, too.
  await expect(async () => {
    await send('dragOver')
    await expect(page.getByText('Drop files to upload', { exact: true })).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 20_000 })
  return async () => {
    await send('dragOver')
    await send('drop')
    await session.detach()
  }
}

/** Lets the page send no faster than this; 0 is as fast as it can. Returns what changes it later. */
export async function slowUploads(page, bytesPerSecond) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const set = (uploadThroughput) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: uploadThroughput || -1,
    })
  await set(bytesPerSecond)
  return set
}

/** What a bar shows, 0 to 100. */
export async function percent(bar) {
  return Number(await bar.getAttribute('aria-valuenow'))
}

/** The time that a video is at and whether it moves, as the page's own player has it. */
export function playing(page) {
  return page.locator('video').evaluate((video) => ({
    at: video.currentTime,
    paused: video.paused,
    error: video.error?.message ?? null,
    width: video.videoWidth,
    height: video.videoHeight,
  }))
}

/** Notes every value that a bar shows from now on. The result is a function that tells them, by the bar's label. */
export async function recordBars(page) {
  await page.evaluate(() => {
    window.bars = {}
    const note = (bar) => {
      const values = (window.bars[bar.getAttribute('aria-label')] ??= [])
      const value = Number(bar.getAttribute('aria-valuenow'))
      if (values.at(-1) !== value) values.push(value)
    }
    const noteAll = () => document.querySelectorAll('[role=progressbar]').forEach(note)
    new MutationObserver(noteAll).observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-valuenow'],
    })
    noteAll()
  })
  return () => page.evaluate(() => window.bars)
}

/** What is in the clipboard after its button was pressed: "join command". */
export async function copied(page, what) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  // The word goes again after two seconds: who looks for it after a click that took longer never sees it.
  await Promise.all([
    expect(page.getByText('Copied', { exact: true }).first()).toBeAttached(),
    page.getByRole('button', { name: `Copy ${what}` }).click(),
  ])
  return await page.evaluate(() => navigator.clipboard.readText())
}
