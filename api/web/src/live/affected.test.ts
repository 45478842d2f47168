import type { QueryKey } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { keys } from "@/api/keys";
import type { EventKind } from "@/api/types";
import { exampleEvent } from "@/testing/examples";
import { affectedKeys } from "./affected";

describe("an event", () => {
  it("that ends a job changes the lists, both details, the workers and the chart", () => {
    const found = affectedKeys(exampleEvent({ kind: "job_completed" }));
    expect(found).toEqual(
      expect.arrayContaining([
        keys.videos.detail("video-1"),
        keys.jobs.detail("job-1"),
        keys.videos.lists,
        keys.jobs.lists,
        keys.jobs.next,
        keys.workers,
        keys.overview,
        keys.health,
        keys.throughputs,
      ]),
    );
  });

  it("of a part changes only the details: there are thousands of them", () => {
    expect(affectedKeys(exampleEvent({ kind: "part_delivered" }))).toEqual([
      keys.videos.detail("video-1"),
      keys.jobs.detail("job-1"),
    ]);
  });

  it("of a worker leaves the videos alone", () => {
    const found = affectedKeys(exampleEvent({ kind: "worker_offline", job_id: null, video_id: null }));
    expect(found).toContainEqual(keys.workers);
    expect(found).not.toContainEqual(keys.videos.lists);
  });

  it("of a GPU concerns its worker, the audit and what waits for a GPU", () => {
    const found = affectedKeys(exampleEvent({ kind: "gpu_quarantined", job_id: null, video_id: null }));
    expect(found).toEqual(expect.arrayContaining([keys.workers, keys.audits, keys.jobs.next]));
    expect(found).not.toContainEqual(keys.videos.lists);
  });

  it.each([
    ["alert_raised", keys.alerts.all],
    ["alert_endpoint_tested", keys.alerts.all],
    ["intake_done", keys.intake],
    ["collection_changed", keys.collections],
  ] as [EventKind, QueryKey][])("%s changes its own list and the audit, and no jobs", (kind, key) => {
    const found = affectedKeys(exampleEvent({ kind, job_id: null, video_id: null }));
    expect(found).toEqual(expect.arrayContaining([key, keys.audits]));
    expect(found).not.toContainEqual(keys.jobs.lists);
  });

  it("that ends a job changes what its collection counts", () => {
    expect(affectedKeys(exampleEvent({ kind: "job_failed" }))).toContainEqual(keys.collections);
    expect(affectedKeys(exampleEvent({ kind: "job_claimed" }))).not.toContainEqual(keys.collections);
  });

  it.each<EventKind>(["video_created", "video_deleted", "job_enqueued", "queue_paused"])(
    "%s changes the lists",
    (kind) => {
      expect(affectedKeys(exampleEvent({ kind }))).toContainEqual(keys.videos.lists);
    },
  );
});
