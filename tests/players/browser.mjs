// A headless Chromium, and a site that embeds the farm's videos: another origin than the farm's.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import puppeteer from 'puppeteer-core'

const files = {
  '/': ['text/html', 'page/index.html'],
  '/watch.mjs': ['text/javascript', 'page/watch.mjs'],
  '/play.mjs': ['text/javascript', 'page/play.mjs'],
  '/hls.js': ['text/javascript', 'node_modules/hls.js/dist/hls.js'],
  // The debug build says in words what went wrong.
  '/shaka.js': ['text/javascript', 'node_modules/shaka-player/dist/shaka-player.compiled.debug.js'],
}

async function answer(request, response) {
  if (!files[request.url]) return response.writeHead(404).end()
  const [type, path] = files[request.url]
  response.writeHead(200, { 'Content-Type': type }).end(await readFile(new URL(path, import.meta.url)))
}

/** Starts both. `call(name, …)` runs a function of page/play.mjs in a new tab, `open(url)` opens an address, `close()` ends both. */
export async function openBrowser() {
  const site = createServer(answer)
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve))
  const browser = await puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    // Chromium has no sandbox for root, and a container's /dev/shm may be small.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--autoplay-policy=no-user-gesture-required', '--mute-audio'],
  })

  async function call(name, ...args) {
    const tab = await browser.newPage()
    const console = []
    tab.on('console', (line) => console.push(line.text()))
    tab.on('pageerror', (error) => console.push(String(error)))
    try {
      await tab.goto(`http://127.0.0.1:${site.address().port}/`)
      return await tab.evaluate((name, args) => window.players[name](...args), name, args)
    } catch (error) {
      throw new Error(`${name}(${args.join(', ')}): ${error.message}\n${console.join('\n')}`)
    } finally {
      await tab.close()
    }
  }

  const open = async (url) => {
    const tab = await browser.newPage()
    await tab.goto(url)
    return tab
  }

  async function close() {
    await browser.close()
    await new Promise((resolve) => site.close(resolve))
  }
  return { call, open, close }
}
