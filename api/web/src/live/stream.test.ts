import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exampleEvent, exampleProgress } from "@/testing/examples";
import { backoffMs } from "./backoff";
import type { StreamMessage } from "./messages";
import { Stream } from "./stream";

class FakeSource extends EventTarget {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readyState = 0;
  constructor(readonly url: string) {
    super();
  }
  close() {
    this.readyState = 2;
  }
  accept() {
    this.readyState = 1;
    this.onopen?.();
  }
  lose() {
    this.readyState = 0;
    this.onerror?.();
  }
  giveUp() {
    this.readyState = 2;
    this.onerror?.();
  }
  send(name: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

let sources: FakeSource[];
let told: StreamMessage[];
let loggedIn: boolean;
let stream: Stream;

beforeEach(() => {
  vi.useFakeTimers();
  sources = [];
  told = [];
  loggedIn = true;
  stream = new Stream({
    open: (url) => {
      const source = new FakeSource(url);
      sources.push(source);
      return source as unknown as EventSource;
    },
    loggedIn: async () => loggedIn,
    post: (message) => told.push(message),
    random: () => 0.5,
  });
});
afterEach(() => void vi.useRealTimers());

function newest(): FakeSource {
  const source = sources.at(-1);
  if (!source) throw new Error("nothing was opened");
  return source;
}

const states = () => told.flatMap((message) => (message.type === "state" ? [message.state] : []));
const resets = () => told.filter(({ type }) => type === "reset").length;

describe("the stream", () => {
  it("passes on what it hears", () => {
    stream.start();
    newest().accept();
    newest().send("hello", { last_id: 6, boot: "a" });
    newest().send("change", exampleEvent());
    newest().send("progress", exampleProgress());
    expect(told.map(({ type }) => type)).toEqual(["state", "change", "progress"]);
  });

  it("lets the browser come back by itself", () => {
    stream.start();
    newest().accept();
    newest().lose();
    expect(states()).toEqual(["open", "reconnecting"]);
    newest().accept();
    expect(states()).toEqual(["open", "reconnecting", "open"]);
    expect(sources).toHaveLength(1);
  });

  it("comes back with its place when the browser gave up, later each time", async () => {
    stream.start();
    newest().accept();
    newest().send("hello", { last_id: 6, boot: "a" });
    newest().send("change", exampleEvent({ id: 9 }));
    newest().giveUp();
    await vi.advanceTimersByTimeAsync(2_999);
    expect(sources).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(newest().url).toBe("/api/events?last_event_id=9");
    newest().giveUp();
    await vi.advanceTimersByTimeAsync(5_999);
    expect(sources).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(sources).toHaveLength(3);
  });

  it("ends when the session did", async () => {
    loggedIn = false;
    stream.start();
    newest().giveUp();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told.at(-1)).toEqual({ type: "unauthorized" });
    expect(sources).toHaveLength(1);
  });

  it("asks for everything anew after a restart of the server or a gap", () => {
    stream.start();
    newest().accept();
    newest().send("hello", { last_id: 6, boot: "a" });
    newest().send("hello", { last_id: 6, boot: "a" });
    expect(resets()).toBe(0);
    newest().send("hello", { last_id: 6, boot: "b" });
    expect(resets()).toBe(1);
    newest().send("hello", { last_id: 8, boot: "b" });
    expect(resets()).toBe(2);
    newest().send("reset", {});
    expect(resets()).toBe(3);
  });

  it("is opened again after a long silence, but only when somebody looks", () => {
    stream.start();
    newest().accept();
    vi.advanceTimersByTime(59_000);
    stream.check();
    expect(sources).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    stream.check();
    expect(sources).toHaveLength(2);
    expect(sources[0]?.readyState).toBe(2);
  });

  it("does not wait out a pause when somebody looks", async () => {
    stream.start();
    newest().giveUp();
    await vi.advanceTimersByTimeAsync(10);
    stream.check();
    expect(sources).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sources).toHaveLength(2);
  });

  it("is closed when the last tab leaves", async () => {
    stream.start();
    newest().accept();
    stream.stop();
    expect(newest().readyState).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sources).toHaveLength(1);
    stream.start();
    expect(sources).toHaveLength(2);
  });
});

describe("the pause before another try", () => {
  it("grows from 3 s to 30 s", () => {
    expect([0, 1, 2, 3, 4, 50].map((attempt) => backoffMs(attempt, () => 0.5))).toEqual([
      3_000, 6_000, 12_000, 24_000, 30_000, 30_000,
    ]);
  });

  it("differs by a fifth either way", () => {
    expect(backoffMs(0, () => 0)).toBe(2_400);
    expect(backoffMs(0, () => 1)).toBe(3_600);
  });
});
