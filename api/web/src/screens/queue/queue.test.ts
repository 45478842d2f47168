import { describe, expect, it } from "vitest";
import type { Queue } from "@/api/types";
import { AT, exampleJob, exampleWorker } from "@/testing/examples";
import { reportColor, reportWords } from "./bulk";
import { isPriority, priorityWords } from "./priority";
import { totalDepth } from "./Summary";
import { situationsOf } from "./situation";
import { technicalLines } from "./Technical";
import { startText, tookSeconds } from "./times";
import { importWords, leftRows, rowWords } from "./transfer/importQueue";
import { inQueueOrder, waitingOf } from "./useActiveJobs";

const NOW = Date.parse(AT);

function queue(change: Partial<Queue> = {}): Queue {
  return {
    queue_type: "transcode",
    paused: false,
    max_running: null,
    retry_mode: "auto",
    depth: { pending: 3, running: 1, completed: 0, errors: 0 },
    ...change,
  };
}

const resting = { pending: 0, running: 0, completed: 9, errors: 2 };
const kinds = (...given: Parameters<typeof situationsOf>) => situationsOf(...given).map(({ kind }) => kind);

describe("why jobs wait", () => {
  it("nobody there, everybody busy and everybody draining are three things", () => {
    expect(kinds([queue()], [])).toEqual(["no_workers"]);
    expect(kinds([queue()], [exampleWorker({ status: "offline" }), exampleWorker({ status: "disabled" })])).toEqual([
      "no_workers",
    ]);
    expect(kinds([queue()], [exampleWorker({ draining: true })])).toEqual(["draining"]);
    expect(situationsOf([queue()], [exampleWorker(), exampleWorker({ status: "offline", slots: 8 })])).toEqual([
      { kind: "busy", workers: 1, slots: 1, waiting: 3 },
    ]);
  });

  it("a free slot is no reason to wait", () => {
    expect(kinds([queue()], [exampleWorker({ slots: 2 })])).toEqual([]);
    expect(kinds([queue()], [exampleWorker({ jobs: [], slots: 1 })])).toEqual([]);
  });

  it("a pause is told whatever else there is", () => {
    const other = queue({ queue_type: "captions", depth: resting });
    expect(situationsOf([queue({ paused: true, depth: resting }), other], [])).toEqual([
      { kind: "paused", queues: ["transcode"], all: false },
    ]);
    expect(kinds([queue({ paused: true })], [])).toEqual(["paused", "no_workers"]);
    expect(kinds([queue({ paused: true })], [exampleWorker()])).toEqual(["paused"]);
  });

  it("the limit of a queue comes before busy workers", () => {
    expect(situationsOf([queue({ max_running: 1 })], [exampleWorker()])).toEqual([
      { kind: "limit", queue: "transcode", most: 1, waiting: 3 },
    ]);
    expect(kinds([queue({ max_running: 2 })], [exampleWorker()])).toEqual(["busy"]);
  });

  it("nothing is said of workers that are not known yet, nor when nothing waits", () => {
    expect(kinds([queue()], undefined)).toEqual([]);
    expect(kinds([queue({ depth: resting })], [])).toEqual([]);
  });

  it("queues are counted together", () => {
    expect(totalDepth([queue(), queue({ depth: resting })])).toEqual({
      pending: 3,
      running: 1,
      completed: 9,
      errors: 2,
    });
  });
});

describe("priorities", () => {
  it("have names where they have one", () => {
    expect([100, 0, -100, 42].map(priorityWords)).toEqual(["High", "Normal", "Low", "42"]);
  });

  it("are whole numbers within the limits of the server", () => {
    expect([-1000, 0, 1000].every(isPriority)).toBe(true);
    expect(["", "5", 1.5, 1001, Number.NaN, null].some(isPriority)).toBe(false);
  });
});

describe("times of jobs", () => {
  const eta = { seconds: 600, low_seconds: 500, high_seconds: 700, starts_in_seconds: 300, at: AT };

  it("the start runs down", () => {
    expect(startText(eta, NOW)).toBe("starts in about 5 min");
    expect(startText(eta, NOW + 295_000)).toBe("starts in a few seconds");
    expect(startText({ ...eta, starts_in_seconds: null }, NOW)).toBeNull();
    expect(startText(null, NOW)).toBeNull();
  });

  it("what took how long is known only of what ended", () => {
    expect(tookSeconds({ started_at: AT, completed_at: "2030-01-01T12:04:00Z" })).toBe(240);
    expect(tookSeconds({ started_at: null, completed_at: AT })).toBeNull();
    expect(tookSeconds({ started_at: "2030-01-01T12:04:00Z", completed_at: AT })).toBeNull();
  });
});

describe("the order of what waits", () => {
  const ids = (jobs: { id: string }[]) => jobs.map(({ id }) => id);
  const second = exampleJob({ id: "second", number: 2, position: 2 });
  const first = exampleJob({ id: "first", number: 3, position: 1 });
  const soon = exampleJob({ id: "soon", number: 9, retry_after: "2030-01-01T12:01:00Z" });
  const late = exampleJob({ id: "late", number: 1, retry_after: "2030-01-01T12:30:00Z" });

  it("is by place, and then by the time of the next attempt", () => {
    expect(ids(inQueueOrder([late, second, soon, first]))).toEqual(["first", "second", "soon", "late"]);
  });

  it("each job is there once, and those that run by now are not", () => {
    expect(ids(waitingOf([first, second], [late, first, soon], []))).toEqual(["first", "second", "soon", "late"]);
    expect(ids(waitingOf([first, second], [late, first], [first]))).toEqual(["second", "late"]);
  });
});

it("the technical details say everything that is known", () => {
  const job = exampleJob({
    status: "failed",
    error_class: "input_invalid",
    error: "moov atom not found",
    failure_count: 1,
  });
  const attempt = {
    number: 1,
    fence: 1,
    worker_id: "worker-1",
    worker_name: "north",
    started_at: AT,
    ended_at: AT,
    outcome: "failed" as const,
    error_class: "input_invalid",
    error: "moov atom not found",
  };
  expect(technicalLines(job, [attempt])).toBe(
    [
      "job 1 (job-1)",
      "video video-1",
      "status failed, class input_invalid",
      "failures 1 of 3, lost 0 of 3",
      "error moov atom not found",
      `attempt 1 on north, ${AT} to ${AT}: failed: input_invalid: moov atom not found`,
    ].join("\n"),
  );
});

describe("a change of many jobs", () => {
  const reasons = [
    { reason: "same_work", count: 2 },
    { reason: "video_deleted", count: 1 },
  ] as const;

  it("is told by its numbers, with why some were skipped", () => {
    expect(reportWords({ done: 12, skipped: 0, reasons: [] }, "retried")).toBe("12 jobs retried.");
    expect(reportWords({ done: 9, skipped: 3, reasons }, "retried")).toBe(
      "9 of 12 jobs retried. Skipped: 2 (another job does the same work), 1 (the video was deleted).",
    );
  });

  it("looks as it went", () => {
    const colorOf = (done: number, skipped: number) => reportColor({ done, skipped, reasons });
    expect([colorOf(1, 0), colorOf(1, 1), colorOf(0, 1)]).toEqual(["green", "yellow", "red"]);
  });
});

describe("an import", () => {
  const numbers = { imported: 12, duplicate: 3, refused: 1, waiting_again: 2, dry_run: true };

  it("says before what would happen, and after what did", () => {
    expect(importWords(numbers)).toBe(
      "12 jobs will be imported. 2 of them ran before and will run again. 3 already exist. 1 cannot be imported.",
    );
    expect(importWords({ imported: 1, duplicate: 0, refused: 0, waiting_again: 0, dry_run: false })).toBe(
      "1 job imported.",
    );
  });

  it("tells of each row that was left out", () => {
    const taken = { line: 1, outcome: "imported" } as const;
    const here = { line: 3, outcome: "duplicate" } as const;
    const wrong = { line: 7, outcome: "refused", job_id: "job-7", detail: "its video is gone" } as const;
    expect(leftRows({ rows: [taken, here, wrong] })).toEqual([here, wrong]);
    expect([here, wrong].map(rowWords)).toEqual(["Line 3: It already exists.", "Job 7: Its video is gone."]);
  });
});
