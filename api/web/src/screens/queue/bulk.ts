/** Changes of many jobs, by their ids or by a filter: the server does it, however many there are, and says what it did. */
import { api, body } from "@/api/client";
import type { JobsFilter, SkippedFor } from "@/api/types";
import { queueTexts } from "@/texts/queue";
import type { JobFilter } from "./jobFilter";

const texts = queueTexts.report;

export type Chosen = { ids: string[] } | { filter: JobsFilter };

export async function retryJobs(chosen: Chosen, dry_run = false): Promise<BulkReport> {
  const { retried, ...rest } = await body(api.POST("/api/queue/requeue", { body: { ...chosen, dry_run } }));
  return { done: retried, ...rest };
}

export async function prioritiseJobs(chosen: Chosen, priority: number, dry_run = false): Promise<BulkReport> {
  const answer = await body(api.POST("/api/queue/priority", { body: { ...chosen, priority, dry_run } }));
  return { ...answer, done: answer.changed + answer.unchanged };
}

export type ClearedStatus = "completed" | "failed" | "cancelled";

/** How many. */
export async function clearJobs(status: ClearedStatus, filter: JobFilter, dry_run = false): Promise<number> {
  const params = { query: { ...filter, status, dry_run } };
  const answer =
    status === "completed"
      ? api.POST("/api/queue/clear-completed", { params })
      : api.POST("/api/queue/clear-errors", { params });
  return (await body(answer)).cleared;
}

export interface BulkReport {
  done: number;
  skipped: number;
  reasons: readonly SkippedFor[];
}

/** "12 jobs requeued." or "10 of 12 jobs requeued. Skipped: 2 (another job does the same work)." */
export function reportWords({ done, skipped, reasons }: BulkReport, verb: string): string {
  if (skipped === 0) return texts.all(done, verb);
  return texts.some(done, done + skipped, verb, skippedWords(reasons));
}

/** "2 (another job does the same work), 1 (the video was deleted)" */
export function skippedWords(reasons: readonly SkippedFor[]): string {
  return reasons.map(({ reason, count }) => texts.skipped(count, texts.reasons[reason] ?? reason)).join(", ");
}

/** Green where all went through, red where nothing did. */
export function reportColor({ done, skipped }: BulkReport): string {
  if (skipped === 0) return "green";
  return done === 0 ? "red" : "yellow";
}
