/** The rules of a collection in plain words. */
import type { Collection } from "@/api/types";
import { collectionsTexts } from "@/texts/collections";
import { priorityTag } from "../queue/priority";
import { ladderWords, parseLadder } from "./ladder";

const texts = collectionsTexts.row;

export function sourceWords(rule: string | null | undefined): string | null {
  if (rule == null) return null;
  if (rule === "keep") return texts.sourcesKept;
  if (rule === "delete_after_ready") return texts.sourcesDeleted;
  return texts.sourcesDeletedAfter(Number(rule));
}

/** A sentence for each rule of its own. */
export function ruleWords(collection: Collection): string[] {
  const { ladder, priority, completed_retention_days: days, source_retention } = collection;
  return [
    ladder == null ? null : ladderWords(parseLadder(ladder)),
    priority === 0 ? null : texts.priority(priorityTag(priority)),
    sourceWords(source_retention),
    days == null ? null : texts.jobsDeletedAfter(days),
  ].filter((words) => words !== null);
}

/** "12 videos, 3 jobs waiting, 1 job failed" */
export function countWords({ videos, jobs }: Pick<Collection, "videos" | "jobs">): string {
  const parts = [texts.videos(videos)];
  if (jobs.running > 0) parts.push(texts.jobsRunning(jobs.running));
  if (jobs.pending > 0) parts.push(texts.jobsWaiting(jobs.pending));
  if (jobs.errors > 0) parts.push(texts.jobsFailed(jobs.errors));
  return parts.join(", ");
}
