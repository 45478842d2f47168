import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keys } from "@/api/keys";
import type { VideoDetail } from "@/api/types";
import { AT, exampleDetail, exampleProgress, exampleWorker } from "@/testing/examples";
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
