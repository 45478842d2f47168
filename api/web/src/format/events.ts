/** What happened, in a few words each: for lists of everything. */
import type { EventKind } from "@/api/types";
import { capital } from "./sentence";

const names: Record<EventKind, string> = {
  video_created: "Video added",
  video_changed: "Video changed",
  video_published: "Video published",
  video_deleted: "Video deleted",
  video_restored: "Video restored",
  source_deleted: "Original removed",
  job_enqueued: "Job put into the queue",
  job_imported: "Job imported",
  job_claimed: "Job taken by a worker",
  job_planned: "Job planned",
  part_delivered: "Part delivered",
  quality_completed: "Quality finished",
  quality_failed: "Quality failed",
  job_completed: "Job finished",
  job_retry_scheduled: "Job failed and will be tried again",
  job_failed: "Job failed",
  job_released: "Job handed back by its worker",
  job_lost: "Job lost with its worker",
  job_cancelled: "Job cancelled",
  job_requeued: "Job retried",
  job_priority_changed: "Priority changed",
  late_report: "Report came too late",
  worker_invited: "Worker invited",
  worker_registered: "Worker joined",
  worker_started: "Worker started",
  worker_recovered: "Worker is back",
  worker_offline: "Worker went offline",
  worker_restarted: "Worker was restarted",
  worker_stopped: "Worker stopped",
  worker_disabled: "Worker disabled",
  worker_enabled: "Worker enabled",
  worker_draining: "Worker drained",
  worker_key_rotated: "Worker got a new key",
  worker_key_revoked: "Key of a worker revoked",
  worker_deleted: "Worker removed",
  gpu_quarantined: "GPU takes no work",
  gpu_recovered: "GPU takes work again",
  sandbox_incomplete: "Sandbox incomplete",
  sandbox_complete: "Sandbox complete again",
  queue_paused: "Queue paused",
  queue_resumed: "Queue resumed",
  queue_cleared: "History cleared",
  queue_imported: "Queue imported",
  queue_changed: "Queue settings changed",
  cleanup_run: "Clean-up run",
  farm_backed_up: "Backup made",
  farm_restored: "Farm restored from a backup",
  token_created: "Token made",
  token_revoked: "Token revoked",
  logged_in: "Logged in",
  login_failed: "Login failed",
  logged_out: "Logged out",
  collection_created: "Collection made",
  collection_changed: "Collection changed",
  collection_deleted: "Collection deleted",
  intake_queued: "Files to be brought in",
  intake_done: "File brought in",
  intake_failed: "File not brought in",
  intake_cancelled: "Bringing in cancelled",
  intake_retried: "Bringing in retried",
  alert_raised: "Alert raised",
  alert_recovered: "Alert is over",
  alert_endpoint_created: "Alert endpoint added",
  alert_endpoint_changed: "Alert endpoint changed",
  alert_endpoint_deleted: "Alert endpoint removed",
  alert_endpoint_tested: "Alert endpoint tested",
  alert_secret_rotated: "Alert endpoint got a new secret",
  alert_delivery_replayed: "Alert sent again",
};

/** Every kind with its name, in the order of the alphabet. */
export const eventKinds: readonly { value: EventKind; label: string }[] = Object.entries(names)
  .map(([value, label]) => ({ value: value as EventKind, label }))
  .sort((a, b) => a.label.localeCompare(b.label));

export function isEventKind(kind: string): kind is EventKind {
  return Object.hasOwn(names, kind);
}

/** A newer server may know more kinds: those are told by their name. */
export function eventName(kind: EventKind): string {
  return names[kind] ?? capital(kind.replaceAll("_", " "));
}

/** "attempt 2 by north" → "attempt 2"; a first attempt is nothing special. */
export function laterAttempt(reason: string | null | undefined): string | null {
  const attempt = /^attempt (\d+)/.exec(reason ?? "")?.[1];
  return attempt && attempt !== "1" ? `attempt ${attempt}` : null;
}
