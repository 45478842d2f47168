import { describe, expect, it } from "vitest";
import type { EventKind, FarmEvent } from "@/api/types";
import { activityLines } from "./activityLines";
import { eventWords } from "./eventWords";

let next = 1;
function event(
  kind: EventKind,
  reason: string | null = null,
  actor = "farm",
  part: Partial<FarmEvent> = {},
): FarmEvent {
  return { id: next++, at: "2030-01-01T12:00:00Z", kind, reason, actor, actor_kind: "farm", job_id: "j1", ...part };
}

const part = (quality: string, first_segment: number, last_segment: number) => ({
  quality,
  first_segment,
  last_segment,
});

describe("an event in words", () => {
  it.each([
    ["job_enqueued", {}, "admin", "Queued by admin"],
    ["job_enqueued", { retranscode: true }, "token:ci", "Re-transcode requested by token ci"],
    ["job_claimed", { attempt: 1 }, "worker:gpu-1", "Picked up by gpu-1"],
    ["job_claimed", { attempt: 3 }, "worker:gpu-1", "Picked up by gpu-1, attempt 3"],
    ["job_planned", { segments: 12 }, "worker", "Planned: 12 segments per quality"],
    ["part_delivered", part("720p", 0, 3), "worker", "720p: segments 1–4 delivered"],
    ["part_delivered", part("720p", 4, 4), "worker", "720p: segment 5 delivered"],
    ["quality_completed", { quality: "720p" }, "worker", "720p is done"],
    ["job_completed", {}, "worker", "Done"],
    ["job_released", {}, "worker", "Released by the worker, no work lost"],
    ["job_requeued", {}, "admin", "Retried by admin"],
    ["job_priority_changed", { priority: 100 }, "admin", "Priority set to 100 by admin"],
  ] as const)("%s, %j", (kind, data, actor, text) => {
    expect(eventWords(event(kind, null, actor, { data })).text).toBe(text);
  });

  it("tells why an attempt failed", () => {
    const failed = (kind: EventKind, data: FarmEvent["data"]) => eventWords(event(kind, null, "worker", { data }));
    expect(failed("job_retry_scheduled", { class: "encoder", error: "libx264: -12" })).toEqual({
      text: "Attempt failed, retrying automatically",
      detail: "The encoder failed. Libx264: -12.",
      tone: "warning",
    });
    expect(failed("job_failed", { class: "input_invalid", error: "the file is empty" }).detail).toBe(
      "The file is empty.",
    );
    expect(eventWords(event("job_failed", "its lease expired")).detail).toBe("Its lease expired.");
    expect(failed("quality_failed", { quality: "720p", error: "out of memory" })).toMatchObject({
      text: "720p failed",
      detail: "Out of memory.",
    });
  });

  it("tells the reason of an event of an older server, which has no data", () => {
    expect(eventWords(event("part_delivered", "720p: segments 0 to 3", "worker")).text).toBe("Segments delivered");
    expect(eventWords(event("quality_failed", "720p: out of memory", "worker"))).toMatchObject({
      text: "A quality failed",
      detail: "720p: out of memory.",
    });
    expect(eventWords(event("job_failed", "encoder: libx264: -12")).detail).toBe("Encoder: libx264: -12.");
  });

  it("names the worker if it knows it", () => {
    const workers = new Map([["w1", "cpu-7"]]);
    const lost = event("job_lost", "its lease expired", "farm", { worker_id: "w1" });
    expect(eventWords(lost, workers).text).toBe("Worker cpu-7 lost, another one takes over");
    expect(eventWords(lost).text).toBe("Worker lost, another one takes over");
  });

  it("says something about what it does not know", () => {
    expect(eventWords(event("moon_landed" as EventKind)).text).toBe("Moon landed");
  });
});

describe("the list", () => {
  it("is newest first and tells deliveries in a row as one", () => {
    const lines = activityLines([
      event("job_claimed", null, "a", { data: { attempt: 1 } }),
      event("part_delivered", null, "worker", { data: part("720p", 0, 3) }),
      event("part_delivered", null, "worker", { data: part("360p", 0, 3) }),
      event("part_delivered", null, "worker", { data: part("720p", 4, 5) }),
      event("quality_completed", null, "worker", { data: { quality: "720p" } }),
      event("part_delivered", null, "worker", { data: part("360p", 4, 5) }),
    ]);
    expect(lines.map(({ text }) => text)).toEqual([
      "360p: segments 5–6 delivered",
      "720p is done",
      "10 segments delivered",
      "Picked up by a",
    ]);
    expect(lines[2]?.detail).toBe("720p: 6, 360p: 4");
  });

  it("does not mix the deliveries of two jobs", () => {
    const lines = activityLines([
      event("part_delivered", null, "worker", { data: part("720p", 0, 3) }),
      event("part_delivered", null, "worker", { data: part("720p", 0, 3), job_id: "j2" }),
    ]);
    expect(lines).toHaveLength(2);
  });

  it("is empty when nothing happened", () => expect(activityLines([])).toEqual([]));
});
