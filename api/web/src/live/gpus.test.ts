import { describe, expect, it } from "vitest";
import type { GpuSign, WorkerSign } from "@/api/types";
import { AT, exampleGpu, exampleWorker } from "@/testing/examples";
import { courseOf, gpusChanged, workerWithSign } from "./gpus";

const after = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();

function gpuSign(change: Partial<GpuSign> = {}): GpuSign {
  const told = { encoder_percent: 90, memory_percent: 50, temperature_celsius: 61 };
  return { id: "GPU-1", state: "ready", sessions: 2, ...told, ...change };
}

function sign(seconds: number, ...gpus: GpuSign[]): WorkerSign {
  return { id: "worker-1", status: "busy", draining: false, last_heartbeat: after(seconds), gpus };
}

const worker = exampleWorker({ has_gpu: true, gpus: [exampleGpu()] });

describe("the history of a GPU", () => {
  it("ends with the heartbeat that told it, one sample after the other", () => {
    const course = courseOf(exampleGpu(), AT);
    expect(course.at.map((at) => at - Date.parse(AT))).toEqual([-4_000, -2_000, 0]);
    expect(course).toMatchObject({ encoder: [10, 20, 40], memory: [20, 20, 25], temperature: [50, null, 55] });
  });

  it("is empty where nothing was told, and as long as its shortest list", () => {
    const none = { at: [], encoder: [], memory: [], temperature: [] };
    expect(courseOf(exampleGpu({ history: undefined }), AT)).toEqual(none);
    expect(courseOf(exampleGpu(), null)).toEqual(none);
    const empty = { every_seconds: 0, encoder_percent: [], memory_percent: [], temperature_celsius: [] };
    expect(courseOf(exampleGpu({ history: empty }), AT)).toEqual(none);
    expect(courseOf(exampleGpu({ history: { ...empty, encoder_percent: [1, 2] } }), AT)).toEqual(none);
  });

  it("goes on with every sign, at the time of the sign", () => {
    const moved = [5, 10].reduce(
      (now, seconds) => workerWithSign(now, sign(seconds, gpuSign({ encoder_percent: 90 + seconds }))),
      worker,
    );
    const course = moved.gpus[0]?.live?.course;
    expect(course?.at.map((at) => at - Date.parse(AT))).toEqual([-4_000, -2_000, 0, 5_000, 10_000]);
    expect(course?.encoder).toEqual([10, 20, 40, 95, 100]);
    expect(moved.gpus[0]?.live?.toldAt).toBe(AT);
  });

  it("shows a gap for what a sign does not tell", () => {
    const moved = workerWithSign(worker, sign(5, gpuSign({ temperature_celsius: null })));
    expect(moved.gpus[0]?.live?.course.temperature).toEqual([50, null, 55, null]);
  });

  it("takes the same sign once, and an old one not at all", () => {
    const once = workerWithSign(worker, sign(5, gpuSign()));
    expect(workerWithSign(once, sign(5, gpuSign())).gpus).toEqual(once.gpus);
    expect(workerWithSign(once, sign(3, gpuSign({ state: "lost" }))).gpus).toEqual(once.gpus);
  });

  it("forgets what is older than an answer would bring", () => {
    let now = worker;
    for (let seconds = 5; seconds <= 600; seconds += 5) now = workerWithSign(now, sign(seconds, gpuSign()));
    const at = now.gpus[0]?.live?.course.at ?? [];
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBe(120_000);
    expect(at).toHaveLength(25);
  });

  it("begins with the first sign if the GPU came without one", () => {
    const bare = exampleWorker({ gpus: [exampleGpu({ sample: null, history: undefined })] });
    const moved = workerWithSign(bare, sign(5, gpuSign()));
    expect(moved.gpus[0]?.live?.course).toMatchObject({ encoder: [90], memory: [50], temperature: [61] });
    expect(moved.gpus[0]?.sample).toMatchObject({ encoder_percent: 90, memory_used_bytes: 4e9 });
  });
});

describe("a sign", () => {
  it("moves what it tells of and keeps the rest", () => {
    const [gpu] = workerWithSign(worker, sign(5, gpuSign())).gpus;
    expect(gpu).toMatchObject({ name: "test GPU", sessions: 2, session_limit: 3, encoders: [{ fps: 480 }] });
    expect(gpu?.sample).toMatchObject({ encoder_percent: 90, temperature_celsius: 61, foreign_processes: 0 });
  });

  it("does not make bytes less exact while they agree with its percents", () => {
    const exact = exampleWorker({ gpus: [exampleGpu({ sample: { memory_used_bytes: 2_041_000_000 } })] });
    const used = (memory_percent: number) =>
      workerWithSign(exact, sign(5, gpuSign({ memory_percent }))).gpus[0]?.sample?.memory_used_bytes;
    expect([used(25), used(50)]).toEqual([2_041_000_000, 4e9]);
  });

  it("of another state takes the old reason away, and the GPU from the worker", () => {
    const moved = workerWithSign(worker, sign(5, gpuSign({ state: "lost" })));
    expect(moved).toMatchObject({ has_gpu: false, gpus: [{ state: "lost", reason: null }] });
    const lost = exampleWorker({ gpus: [exampleGpu({ state: "lost", reason: "it hangs" })] });
    expect(workerWithSign(lost, sign(5, gpuSign({ state: "lost" }))).gpus[0]?.reason).toBe("it hangs");
    expect(workerWithSign(lost, sign(5, gpuSign()))).toMatchObject({ has_gpu: true, gpus: [{ reason: null }] });
  });

  it("without GPUs changes none of them", () => {
    const heard = { ...sign(5), gpus: undefined };
    for (const quiet of [sign(5), heard]) {
      expect(workerWithSign(worker, quiet)).toEqual({ ...worker, last_heartbeat: after(5) });
      expect(gpusChanged(worker, quiet)).toBe(false);
    }
  });

  it("is news when a GPU is new, gone or in another state, and not when its numbers move", () => {
    expect(gpusChanged(worker, sign(5, gpuSign()))).toBe(false);
    expect(gpusChanged(worker, sign(5, gpuSign({ state: "yielding" })))).toBe(true);
    expect(gpusChanged(worker, sign(5, gpuSign({ id: "GPU-2" })))).toBe(true);
    expect(gpusChanged(worker, sign(5, gpuSign(), gpuSign({ id: "GPU-2" })))).toBe(true);
    expect(gpusChanged(exampleWorker(), sign(5, gpuSign()))).toBe(true);
  });
});
