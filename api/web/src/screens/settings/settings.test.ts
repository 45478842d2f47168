import { describe, expect, it } from "vitest";
import { dispatchWords } from "@/format/dispatch";
import { storageState } from "@/format/storage";
import { exampleEvent } from "@/testing/examples";
import { aboutOf } from "./auditAbout";
import { auditFilter } from "./auditFilter";
import { actorWords, reasonWords, whatWords, whoWords } from "./auditWords";

describe("the audit log", () => {
  it("names who did it", () => {
    expect(["admin", "farm", "worker", "token:backup", "worker:admin", "anonymous"].map(actorWords)).toEqual([
      "Admin",
      "Framefarm",
      "Worker",
      "Token backup",
      "Worker admin",
      "Not logged in",
    ]);
    expect(whoWords({ actor: "worker" }, "north")).toBe("Worker north");
    expect(whoWords({ actor: "admin" }, "north")).toBe("Admin");
  });

  it("says what happened, also of kinds it does not know", () => {
    expect(whatWords({ kind: "queue_paused" })).toBe("Queue paused");
    expect(whatWords({ kind: "worker_draining", data: { draining: false } })).toBe("Worker accepts jobs again");
    expect(whatWords({ kind: "moon_landed" as "queue_paused" })).toBe("Moon landed");
    expect(reasonWords({ kind: "job_priority_changed", data: { priority: 100 } })).toBe("to 100");
    expect(reasonWords({ kind: "worker_draining", reason: "takes no new jobs", data: { draining: true } })).toBeNull();
    expect(reasonWords({ kind: "job_claimed", reason: "attempt 1 by north", data: { attempt: 1 } })).toBeNull();
    expect(reasonWords({ kind: "job_claimed", reason: "attempt 2 by north", data: { attempt: 2 } })).toBe("attempt 2");
    expect(reasonWords({ kind: "job_failed", data: { class: "storage", error: "No space left" } })).toBe(
      "Storage failed: No space left",
    );
    expect(whatWords({ kind: "gpu_quarantined" })).toBe("GPU quarantined");
    expect(whatWords({ kind: "gpu_recovered" })).toBe("GPU recovered");
    expect(reasonWords({ kind: "gpu_quarantined", reason: "test GPU (GPU-1): it hangs" })).toBe(
      "test GPU (GPU-1): it hangs",
    );
    expect(reasonWords({ kind: "job_failed", reason: "its worker was removed" })).toBe("its worker was removed");
  });

  it("tells the reason of an event of an older server, which has no data", () => {
    expect(reasonWords({ kind: "worker_draining", reason: "takes jobs again" })).toBe("takes jobs again");
    expect(reasonWords({ kind: "queue_paused", reason: "transcode" })).toBe("transcode");
    expect(reasonWords({ kind: "job_failed", reason: "storage: No space left" })).toBe("storage: No space left");
  });

  it.each([
    [{}, { important: true }],
    [{ everything: true }, {}],
    [{ who: "people" }, { important: true, people: true }],
    [
      { who: "token:backup", search: "storage" },
      { important: true, actor: "token:backup", search: "storage" },
    ],
    [{ kind: "part_delivered" }, { kind: "part_delivered" }],
  ] as const)("%j asks the server for %j", (search, filter) => expect(auditFilter(search)).toEqual(filter));

  it("leads to what it speaks of", () => {
    expect(aboutOf(exampleEvent({ kind: "job_failed" }))).toEqual({ videoId: "video-1", label: "Video" });
    expect(aboutOf(exampleEvent({ kind: "video_deleted" }))).toBeNull();
    expect(aboutOf({ kind: "worker_offline" })?.page).toBe("/workers");
    expect(aboutOf({ kind: "queue_paused" })?.page).toBe("/queue");
  });
});

it.each([
  ["database", "database", null, null, "Database"],
  ["hybrid", "redis", "up", null, "Redis (hybrid)"],
  ["redis", "database", "down", 12, "Database (Redis is down, retrying in 12 s)"],
] as const)("with %s set and %s in force, jobs reach workers accordingly", (mode, in_force, redis, retry, words) => {
  expect(dispatchWords({ mode, in_force, redis, redis_retry_seconds: retry })).toBe(words);
});

describe("the storage", () => {
  const storage = { kind: "disk", total_bytes: 100e9, free_bytes: 40e9, reserve_bytes: 5e9 };

  it.each([
    [40e9, "active", "5 GB is reserved."],
    [8e9, "warning", "Nearly full. 5 GB is reserved."],
    [4e9, "bad", "Uploads are rejected. 5 GB is reserved."],
  ])("with %d bytes free it is %s", (free_bytes, tone, words) => {
    expect(storageState({ ...storage, free_bytes })).toMatchObject({
      tone,
      words,
      usedPercent: 100 - free_bytes / 1e9,
    });
  });

  it("a disk of unknown size is not full", () => {
    expect(storageState({ kind: "disk", total_bytes: 0, free_bytes: 0, reserve_bytes: 0 })).toMatchObject({
      usedPercent: 0,
      tone: "active",
    });
  });

  it("an object store has no end", () => {
    expect(storageState({ kind: "s3", total_bytes: null, free_bytes: null, reserve_bytes: 5e9 })).toMatchObject({
      usedPercent: null,
      tone: "active",
    });
  });
});
