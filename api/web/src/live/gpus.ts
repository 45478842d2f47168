/** The GPUs of a worker, updated by its heartbeats. */
import type { Gpu, GpuCourse, GpuHistory, GpuSample, GpuSign, Worker, WorkerSign } from "@/api/types";

/** As many samples as a worker keeps; what is shown goes back as far as what an answer brings. */
const SAMPLES = 60;
/** From one sign to the next, where a worker does not tell how often it looks. */
const SIGN_SECONDS = 5;

export function workerWithSign(worker: Worker, { gpus: signs, ...seen }: WorkerSign): Worker {
  const moved = { ...worker, ...seen };
  // Heartbeats may omit the GPUs, and a client that connects gets the last sign again.
  if (!signs?.length || !seen.last_heartbeat || isBefore(seen.last_heartbeat, worker.last_heartbeat)) return moved;
  const at = Date.parse(seen.last_heartbeat);
  const gpus = worker.gpus.map((gpu) => {
    const sign = signs.find(({ id }) => id === gpu.id);
    return sign ? gpuWithSign(gpu, sign, at, worker.last_heartbeat ?? null) : gpu;
  });
  return { ...moved, gpus, has_gpu: gpus.some(({ state }) => state === "ready") };
}

/** Whether a GPU was added, removed or changed its state. */
export function gpusChanged({ gpus }: Pick<Worker, "gpus">, { gpus: signs }: Pick<WorkerSign, "gpus">): boolean {
  if (!signs?.length) return false;
  if (signs.length !== gpus.length) return true;
  return signs.some((sign) => gpus.find(({ id }) => id === sign.id)?.state !== sign.state);
}

/** The history of a GPU up to the heartbeat that reported it. */
export function courseOf(gpu: Gpu, heartbeat: string | null | undefined): GpuCourse {
  return gpu.live?.course ?? fromHistory(gpu.history, Date.parse(heartbeat ?? ""));
}

export function memoryPercent({ memory_bytes, sample }: Pick<Gpu, "memory_bytes" | "sample">): number | null {
  const used = sample?.memory_used_bytes;
  if (used == null || !memory_bytes) return null;
  return Math.floor((Math.min(used, memory_bytes) / memory_bytes) * 100);
}

function gpuWithSign(gpu: Gpu, sign: GpuSign, at: number, heartbeat: string | null): Gpu {
  return {
    ...gpu,
    state: sign.state,
    // Why it is in another state is not in the sign; it comes with the next answer.
    reason: sign.state === gpu.state ? gpu.reason : null,
    sessions: sign.sessions,
    sample: sampleWith(gpu, sign),
    live: {
      course: courseWith(courseOf(gpu, heartbeat), sign, at, everyMs(gpu.history) * SAMPLES),
      toldAt: gpu.live ? gpu.live.toldAt : heartbeat,
    },
  };
}

function sampleWith(gpu: Gpu, { encoder_percent, memory_percent, temperature_celsius }: GpuSign): GpuSample | null {
  const told = [encoder_percent, memory_percent, temperature_celsius];
  if (!gpu.sample && told.every((value) => value == null)) return null;
  return {
    ...gpu.sample,
    encoder_percent,
    temperature_celsius,
    memory_used_bytes: memoryUsed(gpu, memory_percent),
  };
}

/** The sign has only whole percents: bytes that were told stay as long as they agree with it. */
function memoryUsed(gpu: Gpu, percent: number | null | undefined): number | null {
  if (percent == null || !gpu.memory_bytes) return null;
  if (memoryPercent(gpu) === percent) return gpu.sample?.memory_used_bytes ?? null;
  return Math.round((gpu.memory_bytes * percent) / 100);
}

function courseWith(course: GpuCourse, sign: GpuSign, at: number, window: number): GpuCourse {
  const last = course.at.at(-1);
  if (last !== undefined && at <= last) return course;
  const first = course.at.findIndex((time) => time >= at - window);
  const from = first < 0 ? course.at.length : first;
  const next = <T>(list: T[], value: T) => [...list.slice(from), value];
  return {
    at: next(course.at, at),
    encoder: next(course.encoder, sign.encoder_percent ?? null),
    memory: next(course.memory, sign.memory_percent ?? null),
    temperature: next(course.temperature, sign.temperature_celsius ?? null),
  };
}

function fromHistory(history: GpuHistory | undefined, end: number): GpuCourse {
  if (!history || Number.isNaN(end)) return { at: [], encoder: [], memory: [], temperature: [] };
  const { encoder_percent, memory_percent, temperature_celsius } = history;
  const length = Math.min(encoder_percent.length, memory_percent.length, temperature_celsius.length);
  const newest = (list: number[]) => list.slice(list.length - length);
  const every = everyMs(history);
  return {
    at: Array.from({ length }, (_, index) => end - (length - 1 - index) * every),
    encoder: newest(encoder_percent),
    memory: newest(memory_percent),
    // No running GPU is at 0 °C: the value was not reported.
    temperature: newest(temperature_celsius).map((value) => value || null),
  };
}

function everyMs(history: GpuHistory | undefined): number {
  return (history?.every_seconds || SIGN_SECONDS) * 1000;
}

function isBefore(a: string, b: string | null | undefined): boolean {
  return b != null && Date.parse(a) < Date.parse(b);
}
