/** What happened, in words. */
import type { EventKind, FarmEvent } from "@/api/types";
import { eventName, laterAttempt } from "@/format/events";
import { qualityLabel } from "@/format/quality";
import { asSentence } from "@/format/sentence";
import type { Tone } from "@/format/words";
import { videoTexts } from "@/texts/video";
import { explain } from "../failure";

export interface EventWords {
  text: string;
  /** More about it, if there is more. */
  detail?: string;
  tone: Tone;
}

/** The names of workers by id; an event has only the id. */
export type WorkerNames = ReadonlyMap<string, string>;

const texts = videoTexts.activity;

type Speaker = (event: FarmEvent, who: string, worker: string | undefined) => EventWords;

const plain =
  (text: string, tone: Tone = "neutral"): Speaker =>
  () => ({ text, tone });

/** What happens to jobs; of everything else its name is enough. */
const words: Partial<Record<EventKind, Speaker>> = {
  job_enqueued: ({ data }, who) => ({
    text: data?.retranscode ? texts.transcodeAgain(who) : texts.queued(who),
    tone: "neutral",
  }),
  job_claimed: ({ data }, who) => {
    const attempt = laterAttempt(data);
    return { text: attempt ? texts.pickedUpAgain(who, attempt) : texts.pickedUp(who), tone: "active" };
  },
  job_planned: ({ data }) => ({
    text: data?.segments ? texts.plannedSegments(data.segments) : texts.planned,
    tone: "active",
  }),
  part_delivered: (event) => ({ text: delivered(event), tone: "neutral" }),
  // Events of earlier versions have the name alone.
  quality_completed: ({ data, reason }) => ({
    text: texts.qualityDone(qualityName(data?.quality ?? reason)),
    tone: "good",
  }),
  quality_failed: ({ data, reason }) => ({
    text: texts.qualityFailed(qualityName(data?.quality)),
    detail: asSentence(data?.error ?? reason ?? ""),
    tone: "bad",
  }),
  job_completed: plain(texts.done, "good"),
  job_retry_scheduled: (event) => ({ text: texts.retrying, detail: failure(event), tone: "warning" }),
  job_failed: (event) => ({ text: texts.failed, detail: failure(event), tone: "bad" }),
  job_released: ({ reason }, who) => ({
    text: texts.released(who),
    detail: asSentence(reason ?? ""),
    tone: "neutral",
  }),
  job_lost: ({ reason }, _, worker) => ({
    text: worker ? texts.namedWorkerLost(worker) : texts.workerLost,
    detail: asSentence(reason ?? ""),
    tone: "warning",
  }),
  job_cancelled: ({ reason }, who) => ({
    text: texts.cancelled(who),
    detail: asSentence(reason ?? ""),
    tone: "warning",
  }),
  job_requeued: (_, who) => ({ text: texts.retried(who), tone: "neutral" }),
  job_priority_changed: ({ data }, who) => ({
    text: data?.priority == null ? texts.priorityChanged(who) : texts.priority(data.priority, who),
    tone: "neutral",
  }),
  late_report: ({ reason }) => ({ text: texts.lateReport, detail: asSentence(reason ?? ""), tone: "neutral" }),
};

export function eventWords(event: FarmEvent, workers: WorkerNames = new Map()): EventWords {
  const speaker = words[event.kind] ?? plain(eventName(event.kind));
  const told = speaker(event, actorWords(event, workers), workerName(event, workers));
  return told.detail ? told : { text: told.text, tone: told.tone };
}

/** Who did it: a person, a token, a worker, or the farm itself. */
export function actorWords(event: FarmEvent, workers: WorkerNames): string {
  const { actor } = event;
  if (actor === "worker") return workerName(event, workers) ?? texts.theWorker;
  if (actor === "farm") return workerName(event, workers) ?? texts.farm;
  if (actor.startsWith("worker:")) return actor.slice("worker:".length);
  if (actor.startsWith("token:")) return texts.token(actor.slice("token:".length));
  return actor;
}

function workerName({ worker_id }: FarmEvent, workers: WorkerNames): string | undefined {
  return (worker_id && workers.get(worker_id)) || undefined;
}

function qualityName(name: string | null | undefined): string {
  return name ? qualityLabel(name) : texts.aQuality;
}

/** "The encoder failed. Libx264: -12." */
function failure({ data, reason }: FarmEvent): string {
  const said = asSentence(data?.error ?? reason ?? "");
  if (!data?.class) return said;
  const { reason: short } = explain(data.class, data.error);
  return short === said ? short : `${short} ${said}`;
}

function delivered(event: FarmEvent): string {
  const part = partOf(event);
  if (!part) return texts.delivered;
  const { first, last } = part;
  const quality = qualityLabel(part.quality);
  return first === last
    ? texts.segmentDelivered(quality, first + 1)
    : texts.segmentsDelivered(quality, first + 1, last + 1);
}

export interface DeliveredPart {
  quality: string;
  first: number;
  last: number;
}

/** Segments are counted from 0. Events of older servers do not say which they are. */
export function partOf({ data }: Pick<FarmEvent, "data">): DeliveredPart | null {
  const { quality, first_segment: first, last_segment: last } = data ?? {};
  return quality != null && first != null && last != null ? { quality, first, last } : null;
}
