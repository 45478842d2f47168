import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Invalidations } from "./invalidations";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Notes what is asked; each answer takes so long. */
function asking(asked: string[], takesMs = 0): Invalidations {
  return new Invalidations(async (key) => {
    asked.push(String(key[0]));
    await new Promise((resolve) => setTimeout(resolve, takesMs));
  });
}

it("asks at once, then at most once a second for each key", async () => {
  const asked: string[] = [];
  const invalidations = asking(asked);
  for (let i = 0; i < 50; i += 1) invalidations.add([["videos"], ["workers"]]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual(["videos", "workers"]);

  for (let i = 0; i < 50; i += 1) invalidations.add([["videos"]]);
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(600);
  expect(asked).toEqual(["videos", "workers", "videos"]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(3);
});

it("does not wait with one key for another", async () => {
  const asked: string[] = [];
  const invalidations = asking(asked);
  invalidations.add([["videos"]]);
  await vi.advanceTimersByTimeAsync(1);
  invalidations.add([["videos"]]);
  await vi.advanceTimersByTimeAsync(100);
  invalidations.add([["workers"]]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual(["videos", "workers", "videos"]);
});

it("lets an answer arrive that takes longer than the next change, and rests the longer for it", async () => {
  const asked: string[] = [];
  const invalidations = asking(asked, 3_000);
  const changes = setInterval(() => invalidations.add([["videos"]]), 100);
  await vi.advanceTimersByTimeAsync(14_900);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(asked).toHaveLength(2);
  clearInterval(changes);
});

it("never rests for long, not even after the sleep of a computer", async () => {
  const asked: string[] = [];
  const invalidations = asking(asked, 3_600_000);
  invalidations.add([["videos"]]);
  await vi.advanceTimersByTimeAsync(3_600_001);
  invalidations.add([["videos"]]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked).toHaveLength(2);
});

it("asks nothing once stopped", async () => {
  const asked: string[] = [];
  const invalidations = asking(asked, 10);
  invalidations.add([["videos"]]);
  invalidations.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual([]);

  invalidations.add([["videos"]]);
  await vi.advanceTimersByTimeAsync(1);
  invalidations.add([["videos"]]);
  invalidations.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual(["videos"]);
});
