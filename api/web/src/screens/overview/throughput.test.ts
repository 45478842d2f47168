import { afterEach, expect, it, vi } from "vitest";
import { hasWork, summary } from "./throughput";

afterEach(() => void vi.unstubAllEnvs());

const bucket = { start: "2030-01-02T00:00:00Z", completed: 2, failed: 1, video_seconds: 1_800 };

it("sums up what was done", () => {
  expect(summary({ buckets: [bucket, bucket], bucket_seconds: 3_600 })).toBe("4 done, 2 failed, 1 h of video.");
  expect(hasWork({ buckets: [bucket], bucket_seconds: 3_600 })).toBe(true);
  expect(hasWork({ buckets: [{ ...bucket, completed: 0, failed: 0 }], bucket_seconds: 3_600 })).toBe(false);
});

it("names a day as the server counts it, wherever the reader is", async () => {
  vi.stubEnv("TZ", "America/Los_Angeles");
  vi.resetModules();
  const { shortLabel } = await import("./throughput");
  expect(new Date(bucket.start).getDate()).toBe(1);
  expect(shortLabel(bucket.start, 86_400)).toMatch(/\b2\b/);
});
