/** What a change of many jobs did, in words: some go through, others are left alone, and people hear of both. */
import type { SkippedFor, SkipReason } from "@/api/types";
import { count, formatNumber } from "@/format/count";

export interface BulkReport {
  done: number;
  skipped: number;
  reasons: readonly SkippedFor[];
}

const because: Record<SkipReason, string> = {
  unknown: "gone from the queue",
  not_ended: "not failed or cancelled any more",
  not_pending: "not waiting",
  same_work: "another job does the same work",
  video_deleted: "the video was deleted",
  source_gone: "the original file is gone",
};

/** "12 jobs retried." or "10 of 12 jobs retried. Left alone: 2 (another job does the same work)." */
export function reportWords({ done, skipped, reasons }: BulkReport, verb: string): string {
  if (skipped === 0) return `${count(done, "job")} ${verb}.`;
  return `${formatNumber(done)} of ${count(done + skipped, "job")} ${verb}. Left alone: ${skippedWords(reasons)}.`;
}

/** "2 (another job does the same work), 1 (the video was deleted)" */
export function skippedWords(reasons: readonly SkippedFor[]): string {
  return reasons.map(({ reason, count }) => `${formatNumber(count)} (${because[reason] ?? reason})`).join(", ");
}

/** Green where all went through, red where nothing did. */
export function reportColor({ done, skipped }: BulkReport): string {
  if (skipped === 0) return "green";
  return done === 0 ? "red" : "yellow";
}
