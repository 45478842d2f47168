/** What a change of many jobs did, in words: how many went through, and why others were skipped. */
import type { SkippedFor } from "@/api/types";
import { queueTexts } from "@/texts/queue";

const texts = queueTexts.report;

export interface BulkReport {
  done: number;
  skipped: number;
  reasons: readonly SkippedFor[];
}

/** "12 jobs retried." or "10 of 12 jobs retried. Skipped: 2 (another job does the same work)." */
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
