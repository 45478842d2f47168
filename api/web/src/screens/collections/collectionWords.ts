/** The rules of a collection in plain words. */
import type { Collection } from "@/api/types";
import { count } from "@/format/count";
import { priorityTag } from "../queue/priority";
import { ladderWords, parseLadder } from "./ladder";

export function sourceWords(rule: string | null | undefined): string | null {
  if (rule == null) return null;
  if (rule === "keep") return "Originals are kept.";
  if (rule === "delete_after_ready") return "Originals are removed as soon as a video is ready.";
  return `Originals are removed ${count(Number(rule), "day")} after a video is ready.`;
}

/** A sentence for each rule of its own. */
export function ruleWords(collection: Collection): string[] {
  const { ladder, priority, completed_retention_days: days, source_retention } = collection;
  return [
    ladder == null ? null : ladderWords(parseLadder(ladder)),
    priority === 0 ? null : `${priorityTag(priority)}.`,
    sourceWords(source_retention),
    days == null ? null : `Finished jobs leave the history after ${count(days, "day")}.`,
  ].filter((words) => words !== null);
}

/** "12 videos, 3 jobs wait, 1 failed" */
export function countWords({ videos, jobs }: Pick<Collection, "videos" | "jobs">): string {
  const parts = [count(videos, "video")];
  if (jobs.running > 0) parts.push(count(jobs.running, "job runs", "jobs run"));
  if (jobs.pending > 0) parts.push(count(jobs.pending, "job waits", "jobs wait"));
  if (jobs.errors > 0) parts.push(count(jobs.errors, "job failed", "jobs failed"));
  return parts.join(", ");
}
