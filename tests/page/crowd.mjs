// Workers that exist only on the wire: they register, claim, and tell how far they are, as real ones do.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { aGpu } from './gpus.mjs'

const run = promisify(execFile)
const SEGMENT_US = 6_000_000
const SEGMENTS = 100

/** Puts this many videos with their jobs into the database of a farm, which is stopped for that. */
export async function fill(farm, videos) {
  await farm.kill()
  await run('python3', [new URL('fill.py', import.meta.url).pathname, join(farm.data, 'framefarm.db'), String(videos)])
  await farm.start()
}

export class Crowd {
  #farm
  #workers = []
  #timers = []
  /** How often they told how far they are. */
  told = 0
  /** What went wrong on the wire; nothing should. */
  failures = []

  constructor(farm) {
    this.#farm = farm
  }

  /** Each gets a job, if there are as many. */
  async join(count) {
    for (let number = 1; number <= count; number += 1) {
      const name = `node-${String(number).padStart(2, '0')}`
      const machine = { cores: 16, memory_bytes: 2 ** 36, encoders: ['libx264'] }
      const capabilities = { version: '0.1.0', slots: 1, ...machine }
      const { worker_id, api_key } = await this.#farm.register(name, capabilities)
      const hasGpus = number % 3 === 0
      this.#workers.push({ id: worker_id, key: api_key, boot: randomUUID(), percent: number % 40, hasGpus })
    }
    for (const worker of this.#workers) await this.#begin(worker)
    return this.#workers.filter(({ job }) => job).length
  }

  async #begin(worker) {
    await this.#beat(worker)
    const { job } = await this.#send(worker, '/api/worker/claim', { boot_id: worker.boot })
    if (!job) return
    const source = {
      duration_us: SEGMENT_US * SEGMENTS,
      video: { width: 1920, height: 1080, frame_rate: 25, codec: 'h264' },
      audio: [{ channels: 2, language: 'en' }],
    }
    const boundaries_us = Array.from({ length: SEGMENTS + 1 }, (_, index) => index * SEGMENT_US)
    const plan = { source, boundaries_us }
    const { qualities } = await this.#send(worker, `/api/worker/jobs/${job.job_id}/plan`, { fence: job.fence, plan })
    worker.job = job
    worker.qualities = qualities.filter(({ quality }) => !quality.skipped).map(({ quality }) => quality.name)
  }

  /** Each tells how far it is every so many milliseconds, evenly spread, and sends a heartbeat every ten seconds. */
  start(everyMs) {
    this.#workers.forEach((worker, index) => {
      const apart = (index / this.#workers.length) * everyMs
      const begin = setTimeout(() => {
        this.#timers.push(setInterval(() => this.#note(this.#tell(worker)), everyMs))
        this.#timers.push(setInterval(() => this.#note(this.#beat(worker)), 10_000))
      }, apart)
      this.#timers.push(begin)
    })
  }

  stop() {
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
  }

  #note(promise) {
    promise.catch((error) => this.failures.push(String(error)))
  }

  #beat({ boot, job, hasGpus, percent, ...worker }) {
    const held = job ? [{ job_id: job.job_id, fence: job.fence }] : []
    const gpus = hasGpus ? [0, 1].map((gpu) => aGpu(gpu, { percent: Math.round(percent) })) : undefined
    return this.#send(worker, '/api/worker/heartbeat', { boot_id: boot, status: job ? 'busy' : 'idle', held, gpus })
  }

  async #tell(worker) {
    if (!worker.job || worker.telling) return
    worker.telling = true
    worker.percent = Math.min(99, worker.percent + 0.25)
    const { job, percent } = worker
    const qualities = worker.qualities.map((name) => ({ name, percent, fps: 120, speed: 4.8 }))
    const held = { job_id: job.job_id, fence: job.fence }
    const body = { ...held, step: 'transcode', percent, eta_seconds: 600 - percent * 6, qualities }
    this.told += 1
    await this.#send(worker, '/api/worker/progress', body).finally(() => (worker.telling = false))
  }

  #send({ key }, path, body) {
    return this.#farm.api(path, { method: 'POST', body, headers: { Authorization: `Bearer ${key}` } })
  }
}

/** Listens as any client of the API may, for so long. Returns how many messages of each kind came, and of each job. */
export async function listen(farm, milliseconds) {
  const { name, value } = await farm.cookie()
  const signal = AbortSignal.timeout(milliseconds)
  const answer = await fetch(`${farm.url}/api/events`, { headers: { Cookie: `${name}=${value}` }, signal })
  const kinds = {}
  const ofJob = {}
  let rest = ''
  try {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const messages = (rest + chunk).split('\n\n')
      rest = messages.pop()
      for (const message of messages) {
        const kind = /^event: ?(.*)$/m.exec(message)?.[1]
        if (!kind) continue
        kinds[kind] = (kinds[kind] ?? 0) + 1
        if (kind !== 'progress') continue
        const { job_id } = JSON.parse(/^data: ?(.*)$/m.exec(message)[1])
        ofJob[job_id] = (ofJob[job_id] ?? 0) + 1
      }
    }
  } catch (error) {
    if (error.name !== 'TimeoutError' && error.name !== 'AbortError') throw error
  }
  return { kinds, ofJob }
}
