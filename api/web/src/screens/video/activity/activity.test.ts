import { describe, expect, it } from "vitest";
import type { EventKind, FarmEvent } from "@/api/types";
import { activityLines } from "./activityLines";
import { eventWords, parsePart } from "./eventWords";

let next = 1;
function event(
  kind: EventKind,
  reason: string | null = null,
  actor = "farm",
  part: Partial<FarmEvent> = {},
): FarmEvent {
  return { id: next++, at: "2030-01-01T12:00:00Z", kind, reason, actor, actor_kind: "farm", job_id: "j1", ...part };
}

describe("an event in words", () => {
  it.each([
    ["job_enqueued", null, "admin", "Queued by admin"],
    ["job_enqueued", "re-transcode", "token:ci", "Re-transcode requested by token ci"],
    ["job_claimed", "attempt 1 by gpu-1", "worker:gpu-1", "Picked up by gpu-1"],
    ["job_claimed", "attempt 3 by gpu-1", "worker:gpu-1", "Picked up by gpu-1, attempt 3"],
    ["job_planned", "12 segments", "worker", "Planned: 12 segments per quality"],
    ["part_delivered", "720p: segments 0 to 3", "worker", "720p: segments 1–4 delivered"],
    ["part_delivered", "720p: segments 4 to 4", "worker", "720p: segment 5 delivered"],
    ["quality_completed", "720p", "worker", "720p is done"],
    ["job_completed", "generation 2", "worker", "Done"],
    ["job_released", "handed back", "worker", "Released by the worker, no work lost"],
    ["job_requeued", null, "admin", "Retried by admin"],
    ["job_priority_changed", "100", "admin", "Priority set to 100 by admin"],
  ] as const)("%s, %s", (kind, reason, actor, text) => {
    expect(eventWords(event(kind, reason, actor)).text).toBe(text);
  });

  it("tells why an attempt failed", () => {
    expect(eventWords(event("job_retry_scheduled", "encoder: libx264: -12", "worker"))).toEqual({
      text: "Attempt failed, retrying automatically",
      detail: "The encoder failed. Libx264: -12.",
      tone: "warning",
    });
    expect(eventWords(event("job_failed", "input_invalid: the file is empty", "worker")).detail).toBe(
      "The file is empty.",
    );
    expect(eventWords(event("job_failed", "the claim expired")).detail).toBe("The claim expired.");
    expect(eventWords(event("quality_failed", "720p: out of memory", "worker"))).toMatchObject({
      text: "720p failed",
      detail: "Out of memory.",
    });
  });

  it("names the worker if it knows it", () => {
    const workers = new Map([["w1", "cpu-7"]]);
    const lost = event("job_lost", "the claim expired", "farm", { worker_id: "w1" });
    expect(eventWords(lost, workers).text).toBe("Worker cpu-7 lost, another one takes over");
    expect(eventWords(lost).text).toBe("Worker lost, another one takes over");
  });

  it("says something about what it does not know", () => {
    expect(eventWords(event("moon_landed" as EventKind)).text).toBe("Moon landed");
  });

  it("reads which segments came", () => {
    expect(parsePart("audio: en: segments 2 to 9")).toEqual({ quality: "audio: en", first: 2, last: 9 });
    expect(parsePart("nothing")).toBeNull();
    expect(parsePart(null)).toBeNull();
  });
});

describe("the list", () => {
  it("is newest first and tells deliveries in a row as one", () => {
    const lines = activityLines([
      event("job_claimed", "attempt 1 by a", "a"),
      event("part_delivered", "720p: segments 0 to 3", "worker"),
      event("part_delivered", "360p: segments 0 to 3", "worker"),
      event("part_delivered", "720p: segments 4 to 5", "worker"),
      event("quality_completed", "720p", "worker"),
      event("part_delivered", "360p: segments 4 to 5", "worker"),
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
      event("part_delivered", "720p: segments 0 to 3", "worker"),
      event("part_delivered", "720p: segments 0 to 3", "worker", { job_id: "j2" }),
    ]);
    expect(lines).toHaveLength(2);
  });

  it("is empty when nothing happened", () => expect(activityLines([])).toEqual([]));
});
