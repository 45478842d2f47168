import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keys } from "@/api/keys";
import type { GpuSign, Page, VideoDetail, Worker } from "@/api/types";
import { AT, exampleDetail, exampleEvent, exampleGpu, exampleProgress, exampleWorker } from "@/testing/examples";
import { currentConnection } from "./connection";
import { Receiver } from "./receiver";

let client: QueryClient;
let receiver: Receiver;
let frames: FrameRequestCallback[];

beforeEach(() => {
  client = new QueryClient();
  receiver = new Receiver(client);
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (frame: FrameRequestCallback) => frames.push(frame));
});
afterEach(() => {
  receiver.stop();
  vi.unstubAllGlobals();
});

it("writes the newest progress once a frame", () => {
  client.setQueryData(keys.videos.detail("video-1"), exampleDetail());
  for (const percent of [10, 20, 30]) receiver.receive({ type: "progress", progress: exampleProgress({ percent }) });
  expect(frames).toHaveLength(1);
  const shown = () => client.getQueryData<VideoDetail>(keys.videos.detail("video-1"))?.video.work?.percent;
  expect(shown()).toBe(0);
  frames[0]?.(0);
  expect(shown()).toBe(30);
});

it("asks for everything after a reset, except who is logged in", () => {
  client.setQueryData(keys.me, { actor: "admin" });
  client.setQueryData(keys.workers, { items: [] });
  receiver.receive({ type: "reset" });
  expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(true);
  expect(client.getQueryState(keys.me)?.isInvalidated).toBe(false);
});

it("asks again for what was asked before the stream opened", () => {
  client.setQueryData(keys.workers, { items: [] });
  receiver.receive({ type: "state", state: "open", since: Date.now() + 1_000 });
  expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(true);
  expect(currentConnection().state).toBe("open");
});

it("trusts what was asked while another tab already had the stream", () => {
  client.setQueryData(keys.workers, { items: [] });
  receiver.receive({ type: "state", state: "open", since: Date.now() - 60_000 });
  expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(false);
});

it("asks for the workers again when one changed, since the message does not tell all of it", async () => {
  client.setQueryData(keys.workers, { items: [exampleWorker({ status: "active" })] });
  const seen = { id: "worker-1", draining: false, last_heartbeat: AT };
  receiver.receive({ type: "worker", worker: { ...seen, status: "active" } });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(false);
  receiver.receive({ type: "worker", worker: { ...seen, status: "idle" } });
  await vi.waitFor(() => expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(true));
});

const seen = { id: "worker-1", status: "idle", draining: false, last_heartbeat: AT } as const;
const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

it("asks for nothing because of heartbeats where no workers are listed", async () => {
  client.setQueryData(keys.overview, {});
  for (const last_heartbeat of [AT, "2030-01-01T12:00:10Z"])
    receiver.receive({ type: "worker", worker: { ...seen, last_heartbeat } });
  await turns();
  expect(client.getQueryState(keys.overview)?.isInvalidated).toBe(false);
  receiver.receive({ type: "worker", worker: { ...seen, status: "offline" } });
  await vi.waitFor(() => expect(client.getQueryState(keys.overview)?.isInvalidated).toBe(true));
});

it("updates GPUs without asking, and asks when one is in another state", async () => {
  const gpus = [exampleGpu()];
  client.setQueryData(keys.workers, { items: [exampleWorker({ status: "idle", gpus })], next_cursor: null });
  const tell = (second: number, change: Partial<GpuSign>) => {
    const gpu = { id: "GPU-1", state: "ready" as const, sessions: 1, ...change };
    const worker = { ...seen, last_heartbeat: `2030-01-01T12:00:${second}Z`, gpus: [gpu] };
    receiver.receive({ type: "worker", worker });
  };
  const shown = () => client.getQueryData<Page<Worker>>(keys.workers)?.items[0]?.gpus[0];
  for (const second of [10, 15, 20]) tell(second, { encoder_percent: second });
  await turns();
  expect(shown()).toMatchObject({ name: "test GPU", sample: { encoder_percent: 20 } });
  expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(false);
  tell(25, { state: "yielding" });
  expect(shown()?.state).toBe("yielding");
  await vi.waitFor(() => expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(true));
});

it("heartbeats that come while the workers are asked for do not ask again", async () => {
  client.setQueryData(keys.workers, { items: [exampleWorker({ status: "idle" })] });
  client.setQueryData(keys.health, {});
  await client.invalidateQueries({ queryKey: keys.workers });
  receiver.receive({ type: "worker", worker: seen });
  await turns();
  expect(client.getQueryState(keys.health)?.isInvalidated).toBe(false);
});

it("a worker that is not in the list is asked for, once", async () => {
  vi.useFakeTimers();
  client.setQueryData(keys.workers, { items: [] });
  client.setQueryData(keys.health, {});
  receiver.receive({ type: "worker", worker: seen });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(client.getQueryState(keys.health)?.isInvalidated).toBe(true);
  client.setQueryData(keys.health, {});
  receiver.receive({ type: "worker", worker: seen });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(client.getQueryState(keys.health)?.isInvalidated).toBe(false);
  vi.useRealTimers();
});

it("waits for an answer that is under way, and then asks again", async () => {
  let asked = 0;
  const answers: ((value: unknown) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: keys.videos.list({}),
    queryFn: () => {
      asked += 1;
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  const end = observer.subscribe(() => {});
  receiver.receive({ type: "change", event: exampleEvent({ kind: "video_created" }) });
  await turns();
  expect(asked).toBe(1);
  answers[0]?.("before");
  await vi.waitFor(() => expect(asked).toBe(2));
  expect(observer.getCurrentResult().data).toBe("before");
  end();
});

it("a hidden tab asks for nothing, but knows what is old", async () => {
  const look = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  const ask = vi.fn(async () => "answer");
  const observer = new QueryObserver(client, { queryKey: keys.videos.list({}), queryFn: ask });
  const end = observer.subscribe(() => {});
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("answer"));
  receiver.receive({ type: "change", event: exampleEvent({ kind: "video_created" }) });
  await vi.waitFor(() => expect(client.getQueryState(keys.videos.list({}))?.isInvalidated).toBe(true));
  expect(ask).toHaveBeenCalledTimes(1);
  look.mockRestore();
  end();
});

it("a page that comes back from the history asks for everything, and again when its stream opens later", () => {
  const opened = (since: number) => receiver.receive({ type: "state", state: "open", since });
  opened(Date.now() - 60_000);
  client.setQueryData(keys.workers, { items: [] });
  receiver.startOver();
  expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(true);
  client.setQueryData(keys.workers, { items: [] });
  opened(Date.now() + 1_000);
  expect(client.getQueryState(keys.workers)?.isInvalidated).toBe(true);
});
