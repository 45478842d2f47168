import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GpuCourse, Worker } from "@/api/types";
import { workerWithSign } from "@/live/gpus";
import { AT, exampleGpu, exampleWorker } from "@/testing/examples";
import { readCapabilities } from "../capabilities";
import { Machine } from "../Machine";

// There is no canvas here.
vi.mock("./GpuChart", async () => {
  const { courseText } = await import("./gpuWords");
  return { GpuChart: ({ course }: { course: GpuCourse }) => <div role="img" aria-label={courseText(course)} /> };
});

let root: Root;
let place: HTMLElement;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
});
afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});

async function show(worker: Worker): Promise<string> {
  const capabilities = readCapabilities(worker.capabilities);
  await act(async () => root.render(<Machine capabilities={capabilities} worker={worker} />));
  return place.textContent ?? "";
}
const chart = () => place.querySelector("[role=img]")?.getAttribute("aria-label") ?? null;
const blocks = () => [...place.querySelectorAll("li[aria-labelledby]")];

it("a GPU shows its state in a word, its numbers, encoders and history", async () => {
  const text = await show(exampleWorker({ gpus: [exampleGpu()] }));
  for (const part of ["test GPU", "GPU-1", "Ready", "40%", "2 of 8 GB", "55 °C", "1 of 3"])
    expect(text).toContain(part);
  expect(text).toContain("h264_nvenc 480 fps at 1080p, up to 4096 px");
  await vi.waitFor(() => expect(chart()).toContain("encoder 10% to 40%, now 40%"));
});

it("signs move the numbers and the history", async () => {
  const worker = exampleWorker({ gpus: [exampleGpu()] });
  await show(worker);
  await vi.waitFor(() => expect(chart()).not.toBeNull());
  const told = { encoder_percent: 95, memory_percent: 75, temperature_celsius: 70 };
  const gpus = [{ id: "GPU-1", state: "ready", sessions: 3, ...told } as const];
  const sign = {
    id: worker.id,
    status: "busy",
    draining: false,
    last_heartbeat: "2030-01-01T12:00:05Z",
    gpus,
  } as const;
  const text = await show(workerWithSign(worker, { ...sign, gpus: [...gpus] }));
  for (const part of ["95%", "6 of 8 GB", "70 °C", "3 of 3"]) expect(text).toContain(part);
  expect(chart()).toContain("encoder 10% to 95%, now 95%");
});

it("a GPU that is not ready says why", async () => {
  const gpu = exampleGpu({ state: "quarantined", reason: "its driver does not answer", sample: null });
  const text = await show(exampleWorker({ gpus: [gpu] }));
  expect(text).toContain("Quarantined");
  expect(text).toContain("Its driver does not answer.");
  expect(text).toContain("no data");
});

it("the GPUs of a worker that is offline show nothing that may be wrong by now", async () => {
  const text = await show(exampleWorker({ status: "offline", gpus: [exampleGpu(), exampleGpu({ id: "GPU-2" })] }));
  expect(text).toContain("Unknown");
  for (const part of ["Ready", "ready", "40%", "55 °C"]) expect(text).not.toContain(part);
  expect(chart()).toBeNull();
});

it("of sixteen GPUs the numbers are shown at once, the rest when it is opened", async () => {
  const gpus = Array.from({ length: 16 }, (_, index) => exampleGpu({ id: `GPU-${index}` }));
  const text = await show(exampleWorker({ gpus }));
  expect(text).toContain("16 GPUs: 16 ready");
  expect(blocks()).toHaveLength(16);
  expect(chart()).toBeNull();
  const details = place.querySelector("details");
  await act(async () => {
    if (details) details.open = true;
    details?.dispatchEvent(new Event("toggle"));
  });
  await vi.waitFor(() => expect(chart()).not.toBeNull());
  expect(place.querySelectorAll("[role=img]")).toHaveLength(1);
});

it.each([
  [["no NVIDIA driver on this machine"], "No GPU: no NVIDIA driver on this machine"],
  [["no NVIDIA driver", "no render node"], "Why there is no GPU"],
  [[], ""],
])("without a GPU it says why, in one quiet line: %j", async (gpu_missing, words) => {
  const text = await show(exampleWorker({ capabilities: { cores: 8, gpu_missing }, last_heartbeat: AT }));
  expect(text).toContain(words);
  expect(place.querySelector("[role=alert]")).toBeNull();
  for (const reason of gpu_missing) expect(text).toContain(reason);
  if (gpu_missing.length === 0) expect(text).not.toContain("GPU");
});

it("an older worker names its GPUs only", async () => {
  expect(await show(exampleWorker({ capabilities: { gpus: [{ name: "RTX 4090" }] } }))).toContain("GPU RTX 4090");
});
