/** The audit in plain words: who did what, and what it was about. */
import type { ErrorClass, FarmEvent, QueueType } from "@/api/types";
import { errorClassWords } from "@/format/errors";
import { eventName, laterAttempt } from "@/format/events";
import { queueTypeWords } from "@/format/words";
import { settingsTexts } from "@/texts/settings";

const texts = settingsTexts.audit;

/** What happened. */
export function whatWords({ kind, reason }: Pick<FarmEvent, "kind" | "reason">): string {
  if (kind === "worker_draining" && reason === "takes jobs again") return texts.stoppedDraining;
  return eventName(kind);
}

export function actorWords(actor: string): string {
  if (actor === "admin") return texts.admin;
  if (actor === "farm") return texts.farm;
  if (actor === "worker") return texts.worker;
  if (actor === "anonymous") return texts.anonymous;
  if (actor.startsWith("worker:")) return texts.workerNamed(actor.slice("worker:".length));
  return actor.startsWith("token:") ? texts.tokenNamed(actor.slice("token:".length)) : actor;
}

/** More about it; null where the reason only repeats what is said anyway, or means nothing to people. */
export function reasonWords({ kind, reason }: Pick<FarmEvent, "kind" | "reason">): string | null {
  if (!reason) return null;
  switch (kind) {
    case "worker_draining":
    case "job_completed":
    case "video_published":
      return null;
    case "job_cancelled":
      return reason === "cancelled" ? null : reason;
    case "queue_paused":
    case "queue_resumed":
      return reason.split(", ").map(queueWords).join(", ");
    case "job_claimed":
      return laterAttempt(reason);
    case "job_priority_changed":
      return texts.newPriority(reason);
    case "job_failed":
    case "job_retry_scheduled":
      return failureWords(reason);
    default:
      return reason;
  }
}

function queueWords(name: string): string {
  return Object.hasOwn(queueTypeWords, name) ? queueTypeWords[name as QueueType] : name;
}

/** "storage: No space left" → "Storage failed: No space left". */
function failureWords(reason: string): string {
  const [, name = "", rest = ""] = /^(\w+): (.*)$/s.exec(reason) ?? [];
  const known = Object.hasOwn(errorClassWords, name) ? errorClassWords[name as ErrorClass] : null;
  return known ? texts.errorOf(known, rest) : reason;
}

/** Who did it; a worker by its name, where that is known. */
export function whoWords({ actor }: Pick<FarmEvent, "actor">, workerName: string | undefined): string {
  return actor === "worker" && workerName ? texts.workerNamed(workerName) : actorWords(actor);
}
