// A farm of its own for each file of tests: `framefarm serve` with an empty data directory and its local worker.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const program = process.env.FRAMEFARM_BIN
/** Made and removed by scripts/page-tests, which also ends whatever is still named in `pids`. */
const place = process.env.FRAMEFARM_PAGE_DIR

export const PASSWORD = 'page-password'
const SECRET = 'page-secret-of-some-length'
const START_MS = 60_000
/** Longer than a local worker may take to hand its job back. */
const STOP_MS = 25_000

/** Small steps, so that small clips have several bars. */
const LADDER = '360p:700,240p:400,180p:200'

const run = promisify(execFile)

export class Farm {
  #server
  #log = []
  #listeners = new Set()
  #port = 0
  #cookie
  #args

  /** `args`: of `serve`; `env`: of it and of its worker. */
  constructor({ args = [], env = {} } = {}) {
    this.#args = args
    this.env = {
      FRAMEFARM_ADMIN_PASSWORD: PASSWORD,
      FRAMEFARM_ADMIN_SECRET: SECRET,
      FRAMEFARM_LADDER: LADDER,
      FRAMEFARM_DISK_RESERVE_BYTES: '0',
      FRAMEFARM_REDELIVERY_DELAY: '3',
      FRAMEFARM_WORKER_X264_PRESET: 'ultrafast',
      FRAMEFARM_WORKER_COPY: 'never',
      FRAMEFARM_WORKER_NICE: '10',
      FRAMEFARM_LOG: 'info,framefarm_api::http=debug',
      NO_COLOR: '1',
      ...env,
    }
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Also again after `kill`: at the same address, with the same data. */
  async start() {
    this.dir ??= await mkdtemp(join(place, 'farm-'))
    this.#log = []
    const args = ['serve', '--data-dir', this.data, '--listen', `127.0.0.1:${this.#port}`, ...this.#args]
    const server = spawn(program, args, { env: { ...process.env, ...this.env }, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#server = server
    server.exited = once(server, 'exit')
    await remember(server.pid)
    const hear = (text) => this.#heard(text)
    for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8').on('data', hear)
    const said = this.logged(/listening on http:\/\/127\.0\.0\.1:(\d+)/, START_MS)
    const ended = server.exited.then(() => this.#fail('the server did not start'))
    const [, port] = await Promise.race([said, ended])
    this.#port = Number(port)
  }

  get data() {
    return join(this.dir, 'data')
  }

  async stop() {
    if (this.#server?.exitCode === null && this.#server.signalCode === null) {
      this.#server.kill('SIGTERM')
      const late = setTimeout(() => this.#server.kill('SIGKILL'), STOP_MS)
      await this.#server.exited
      clearTimeout(late)
    }
    if (this.#server) await forget(this.#server.pid)
    if (this.dir) await rm(this.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
    this.dir = undefined
  }

  /** As a power cut would. */
  async kill() {
    this.#server.kill('SIGKILL')
    await this.#server.exited
    await forget(this.#server.pid)
  }

  #heard(text) {
    this.#log.push(...text.split('\n'))
    for (const listener of this.#listeners) listener()
  }

  /** What a line of the log says that matches, now or within the time. */
  async logged(pattern, timeout) {
    const find = () => this.#log.map((line) => pattern.exec(line)).find(Boolean)
    return await new Promise((resolve, reject) => {
      const look = () => {
        const found = find()
        if (found) settle(() => resolve(found))
      }
      const settle = (how) => {
        clearTimeout(timer)
        this.#listeners.delete(look)
        how()
      }
      const tooLate = () => settle(() => reject(new Error(`no ${pattern} in the log:\n${this.tail()}`)))
      const timer = setTimeout(tooLate, timeout)
      this.#listeners.add(look)
      look()
    })
  }

  /** How many requests for this path were answered so far. */
  answered(path) {
    return this.#log.filter((line) => line.includes('answered') && line.includes(path)).length
  }

  tail(lines = 40) {
    return this.#log.slice(-lines).join('\n')
  }

  #fail(why) {
    throw new Error(`${why}\n${this.tail()}`)
  }

  // --- The API, for what a test needs but is not about ---

  /** Of a session of the admin; hashing the password takes long, so it is done once. */
  async cookie() {
    this.#cookie ??= (async () => {
      const answer = await this.#send('/api/login', { method: 'POST', body: { password: PASSWORD } })
      const [name, value] = answer.headers.get('set-cookie').split(';')[0].split('=')
      return { name, value }
    })()
    return await this.#cookie
  }

  /** The parsed body of the answer; refusals throw. */
  async api(path, { method = 'GET', body, form, headers = {} } = {}) {
    const { name, value } = await this.cookie()
    const answer = await this.#send(path, { method, body, form, headers: { Cookie: `${name}=${value}`, ...headers } })
    const text = await answer.text()
    return text ? JSON.parse(text) : null
  }

  post(path, body = {}) {
    return this.api(path, { method: 'POST', body })
  }

  async #send(path, { method, body, form, headers = {} }) {
    const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const options = { method, headers: { ...json, ...headers }, body: form ?? (body && JSON.stringify(body)) }
    const answer = await fetch(`${this.url}${path}`, options)
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }

  /** Uploads a file; the answer has `video_id` and `job_id`. */
  async upload(file, fields = {}) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', await openAsBlob(file), basename(file))
    return await this.api('/api/videos', { method: 'POST', form })
  }

  /** Registers a worker that exists only in a test. */
  async register(name, capabilities = {}) {
    const headers = { 'X-Admin-Secret': SECRET, 'Content-Type': 'application/json' }
    const body = { name, capabilities, worker_type: 'remote' }
    return await (await this.#send('/api/worker/register', { method: 'POST', body, headers })).json()
  }

  /** Waits for what the API says; for the state before a test looks at the page. */
  async until(path, isRight, timeout = 150_000) {
    const end = Date.now() + timeout
    for (;;) {
      const found = await this.api(path)
      if (isRight(found)) return found
      if (Date.now() > end) throw new Error(`${path} stays at ${JSON.stringify(found)}\n${this.tail()}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  untilVideo(id, status) {
    return this.until(`/api/videos/${id}`, ({ video }) => video.status === status && video.work === null)
  }

  /** The program itself, on the farm's own data. */
  async command(...args) {
    const { stdout } = await run(program, [...args, '--data-dir', this.data], { env: { ...process.env, ...this.env } })
    return stdout.trim()
  }
}

/** A worker of its own process, as the page tells people to start one. `exited` is its exit code. */
export async function startWorker(args, scratch) {
  await mkdir(scratch, { recursive: true })
  const child = spawn(join(dirname(program), 'framefarm-worker'), args, { cwd: scratch, stdio: 'ignore' })
  const exited = once(child, 'exit').then(([code]) => code)
  await remember(child.pid)
  const end = async () => {
    child.kill('SIGTERM')
    await exited
    await forget(child.pid)
  }
  return { end, exited }
}

const noted = (pid) => join(place, 'pids', String(pid))

async function remember(pid) {
  await mkdir(dirname(noted(pid)), { recursive: true })
  await writeFile(noted(pid), '')
}

async function forget(pid) {
  await rm(noted(pid), { force: true })
}
