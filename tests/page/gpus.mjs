// A worker with GPUs that exist only on the wire: it reports them with heartbeats, as a real one does.
import { randomUUID } from 'node:crypto'

const EVERY_SECONDS = 2

/** A GPU as its worker reports it; `percent` is how busy its encoder is. */
export function aGpu(number, { percent = 40, ...change } = {}) {
  const before = [percent, percent, percent].map((value, index) => Math.max(0, value - 20 + index * 10))
  return {
    id: `GPU-5c2f${String(number).padStart(2, '0')}`,
    kind: 'nvenc',
    name: 'NVIDIA L4',
    state: 'ready',
    encoders: [{ name: 'h264_nvenc', codec: 'h264', fps: 480, max_side: 4096, on_card: true }],
    sessions: 1,
    session_limit: 3,
    memory_bytes: 24e9,
    sample: {
      encoder_percent: percent,
      memory_used_bytes: 6e9,
      temperature_celsius: 61,
      power_watts: 48,
      power_limit_watts: 72,
      foreign_processes: 1,
      throttled: [],
    },
    history: {
      every_seconds: EVERY_SECONDS,
      encoder_percent: before,
      memory_percent: before.map(() => 25),
      temperature_celsius: before.map((_, index) => 58 + index),
    },
    ...change,
  }
}

/** Registers a worker. Returns a function that reports the current state of its GPUs to the farm. */
export async function joinWithGpus(farm, name) {
  const capabilities = { version: '0.1.0', slots: 2, cores: 16, encoders: ['libx264', 'h264_nvenc'] }
  const { api_key } = await farm.register(name, capabilities)
  const boot_id = randomUUID()
  return (...gpus) =>
    farm.api('/api/worker/heartbeat', {
      method: 'POST',
      body: { boot_id, status: 'idle', held: [], gpus },
      headers: { Authorization: `Bearer ${api_key}` },
    })
}
