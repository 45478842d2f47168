/** Which questions have another answer after an event. */
import type { QueryKey } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import type { EventKind, FarmEvent } from "@/api/types";

const ENDS_A_JOB: ReadonlySet<EventKind> = new Set(["job_completed", "job_failed", "job_cancelled", "queue_cleared"]);
const MOVES_A_WORKER: ReadonlySet<EventKind> = new Set([
  "job_claimed",
  "job_completed",
  "job_failed",
  "job_retry_scheduled",
  "job_released",
  "job_lost",
  "job_cancelled",
]);
/** A collection shows how many videos and jobs it has; one comes with its first video. */
const MOVES_A_COLLECTION: ReadonlySet<EventKind> = new Set([
  "video_created",
  "video_changed",
  "video_deleted",
  "video_restored",
  "job_enqueued",
  ...ENDS_A_JOB,
]);
/** Many of these come while a job runs; lists show the same through progress. */
const ONLY_IN_DETAIL: ReadonlySet<EventKind> = new Set(["part_delivered", "late_report", "job_planned"]);

export function affectedKeys(event: FarmEvent): QueryKey[] {
  const details = detailKeys(event);
  if (ONLY_IN_DETAIL.has(event.kind)) return details;
  return [...details, ...listKeys(event.kind)];
}

function detailKeys({ video_id, job_id }: FarmEvent): QueryKey[] {
  const found: QueryKey[] = [];
  if (video_id) found.push(keys.videos.detail(video_id));
  if (job_id) found.push(keys.jobs.detail(job_id));
  return found;
}

function listKeys(kind: EventKind): QueryKey[] {
  const found: QueryKey[] = [keys.audits];
  if (/^(worker|gpu)_/.test(kind)) return [...found, keys.workers, keys.overview, keys.health, keys.jobs.next];
  if (kind.startsWith("alert_")) return [...found, keys.alerts.all];
  if (kind.startsWith("intake_")) return [...found, keys.intake];
  if (kind.startsWith("collection_")) return [...found, keys.collections, keys.videos.lists];
  if (kind.startsWith("quality_")) return [...found, keys.videos.lists];
  found.push(keys.videos.lists, keys.jobs.lists, keys.jobs.next, keys.queues, keys.overview, keys.health);
  if (MOVES_A_WORKER.has(kind)) found.push(keys.workers);
  if (MOVES_A_COLLECTION.has(kind)) found.push(keys.collections);
  if (ENDS_A_JOB.has(kind)) found.push(keys.throughputs);
  return found;
}
