/** The audit in plain words: who did what, and what it was about. */
import type { FarmEvent, QueueType } from "@/api/types";
import { errorClassWords } from "@/format/errors";
import { eventName, laterAttempt } from "@/format/events";
import { queueTypeWords } from "@/format/words";
import { settingsTexts } from "@/texts/settings";

const texts = settingsTexts.audit;

/** What happened. */
export function whatWords({ kind, data }: Pick<FarmEvent, "kind" | "data">): string {
  if (kind === "worker_draining" && data?.draining === false) return texts.stoppedDraining;
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
export function reasonWords({ kind, reason, data }: Pick<FarmEvent, "kind" | "reason" | "data">): string | null {
  switch (kind) {
    case "worker_draining":
      return data?.draining == null ? (reason ?? null) : null;
    case "job_completed":
    case "video_published":
      return null;
    case "queue_paused":
    case "queue_resumed":
      return data?.queues?.map(queueWords).join(", ") ?? reason ?? null;
    case "job_claimed":
      return laterAttempt(data);
    case "job_priority_changed":
      return data?.priority == null ? null : texts.newPriority(data.priority);
    case "job_failed":
    case "job_retry_scheduled":
      return data?.class ? texts.errorOf(errorClassWords[data.class], data.error ?? "") : (reason ?? null);
    default:
      return reason ?? null;
  }
}

function queueWords(name: QueueType): string {
  return queueTypeWords[name] ?? name;
}

/** Who did it; a worker by its name, where that is known. */
export function whoWords({ actor }: Pick<FarmEvent, "actor">, workerName: string | undefined): string {
  return actor === "worker" && workerName ? texts.workerNamed(workerName) : actorWords(actor);
}
