import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Invalidations } from "./invalidations";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("asks at once, then at most once a second for each key", () => {
  const asked: string[] = [];
  const invalidations = new Invalidations((key) => asked.push(String(key[0])));
  for (let i = 0; i < 50; i += 1) invalidations.add([["videos"], ["workers"]]);
  vi.advanceTimersByTime(1);
  expect(asked).toEqual(["videos", "workers"]);

  for (let i = 0; i < 50; i += 1) invalidations.add([["videos"]]);
  vi.advanceTimersByTime(500);
  expect(asked).toHaveLength(2);
  vi.advanceTimersByTime(600);
  expect(asked).toEqual(["videos", "workers", "videos"]);
});

it("does not wait with one key for another", () => {
  const asked: string[] = [];
  const invalidations = new Invalidations((key) => asked.push(String(key[0])));
  invalidations.add([["videos"]]);
  vi.advanceTimersByTime(1);
  invalidations.add([["videos"]]);
  vi.advanceTimersByTime(100);
  invalidations.add([["workers"]]);
  vi.advanceTimersByTime(1_000);
  expect(asked).toEqual(["videos", "workers", "videos"]);
});

it("asks nothing once stopped", () => {
  const asked = vi.fn();
  const invalidations = new Invalidations(asked);
  invalidations.add([["videos"]]);
  invalidations.stop();
  vi.advanceTimersByTime(5_000);
  expect(asked).not.toHaveBeenCalled();
});
