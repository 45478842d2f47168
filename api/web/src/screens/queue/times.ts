import type { Eta, Job } from "@/api/types";
import { formatRange } from "@/format/eta";
import { queueTexts as texts } from "@/texts/queue";

/** "starts in about 4 min"; null if that is not known. */
export function startText(eta: Eta | null | undefined, now: number): string | null {
  if (eta?.starts_in_seconds == null) return null;
  const left = eta.starts_in_seconds - Math.max(0, (now - Date.parse(eta.at)) / 1000);
  return texts.job.startsIn(formatRange(left, left));
}

/** How long the last attempt took, in seconds; null if it never began or never ended. */
export function tookSeconds({ started_at, completed_at }: Pick<Job, "started_at" | "completed_at">): number | null {
  if (!started_at || !completed_at) return null;
  const seconds = (Date.parse(completed_at) - Date.parse(started_at)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
