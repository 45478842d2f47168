/** The audit in plain words: who did what, and what it was about. */
import type { EventKind, FarmEvent } from "@/api/types";

export const eventWords: Record<EventKind, string> = {
  video_created: "Video added",
  video_changed: "Video changed",
  video_published: "Video published",
  video_deleted: "Video deleted",
  video_restored: "Video restored",
  job_enqueued: "Job put into the queue",
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
  worker_registered: "Worker joined",
  worker_recovered: "Worker is back",
  worker_offline: "Worker went offline",
  worker_restarted: "Worker was restarted",
  worker_disabled: "Worker disabled",
  worker_enabled: "Worker enabled",
  worker_draining: "Worker drained",
  worker_key_rotated: "Worker got a new key",
  worker_key_revoked: "Key of a worker revoked",
  worker_deleted: "Worker removed",
  queue_paused: "Queue paused",
  queue_resumed: "Queue resumed",
  queue_cleared: "History cleared",
  queue_changed: "Queue settings changed",
};

/** What happened. A newer server may know more kinds: those are told by their name. */
export function whatWords({ kind, reason }: Pick<FarmEvent, "kind" | "reason">): string {
  if (kind === "worker_draining" && reason === "takes jobs again") return "Worker takes jobs again";
  return eventWords[kind] ?? sentence(kind);
}

function sentence(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function actorWords(actor: string): string {
  if (actor === "admin") return "Admin";
  if (actor === "farm") return "Framefarm";
  if (actor === "worker") return "A worker";
  return actor.startsWith("token:") ? `Token ${actor.slice("token:".length)}` : actor;
}

/** Whether a person did it, at the page or with a token. */
export function isByPerson(actor: string): boolean {
  return actor === "admin" || actor.startsWith("token:");
}

/** Kinds whose reason only repeats what the words and the links say. */
const PLAIN: ReadonlySet<EventKind> = new Set(["worker_draining"]);

export function reasonWords({ kind, reason }: Pick<FarmEvent, "kind" | "reason">): string | null {
  if (!reason || PLAIN.has(kind)) return null;
  return kind === "job_priority_changed" ? `to ${reason}` : reason;
}

/** Whether every word of the filter is somewhere in what is shown of an event. */
export function matches(event: FarmEvent, names: EventNames, filter: string): boolean {
  const wanted = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return true;
  const shown = [whatWords(event), event.kind, actorWords(event.actor), event.reason, names.worker, names.video]
    .filter(Boolean)
    .join(" ")
    .toLowerCase();
  return wanted.every((word) => shown.includes(word));
}

/** What the ids of an event are called, as far as that is known. */
export interface EventNames {
  worker?: string;
  video?: string;
}
