// What every test has: a farm, a browser that is logged in to it, and somebody who watches for complaints.
import { test as base } from '@playwright/test'
import { Farm } from './farm.mjs'

export { expect } from '@playwright/test'

let farm

/** Starts a farm before the tests of this file and ends it after them. */
export function useFarm(options) {
  const mine = new Farm(options)
  test.beforeAll(async () => {
    farm = mine
    await mine.start()
  })
  test.afterAll(() => mine.stop())
  return mine
}

export const test = base.extend({
  loggedIn: [true, { option: true }],
  // Also asked for before the farm is there, for the hooks that start it.
  baseURL: async ({}, use) => use(farm?.url),

  /**
   * Nothing may complain: no error on the console, which is also where the browser tells of a broken content policy,
   * no request to another host. `complaints.allow(pattern)` is for what a test provokes.
   */
  complaints: async ({}, use) => {
    const complaints = new Complaints()
    await use(complaints)
    base.expect(complaints.left(), 'complaints of the browser').toEqual([])
  },

  context: async ({ context, loggedIn, complaints }, use) => {
    const session = loggedIn && { ...(await farm.cookie()), url: farm.url, httpOnly: true, sameSite: 'Lax' }
    if (session) await context.addCookies([session])
    complaints.watch(context, new URL(farm.url).host)
    await use(context)
  },
})

class Complaints {
  #seen = []
  #allowed = []

  watch(context, host) {
    const note = (text) => this.#seen.push(text)
    context.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return
      note(`${message.type()}: ${message.text()} (${message.location().url})`)
    })
    context.on('weberror', (error) => note(`uncaught: ${error.error().stack ?? error.error()}`))
    context.on('request', (request) => {
      const url = new URL(request.url())
      if (/^(https?|wss?):$/.test(url.protocol) && url.host !== host) note(`request to another host: ${url}`)
    })
  }

  allow(pattern) {
    this.#allowed.push(pattern)
  }

  left() {
    return this.#seen.filter((text) => !this.#allowed.some((pattern) => pattern.test(text)))
  }
}

/** The browser notes each answer that is a refusal; `status` is the one that a test provokes. */
export const refusal = (status, path = '') => new RegExp(`status of ${status} .*${path}`)
/** While the server is away. */
export const AWAY = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_NETWORK/
