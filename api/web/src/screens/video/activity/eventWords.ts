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
  job_enqueued: ({ reason }, who) => ({
    text: reason === "re-transcode" ? texts.transcodeAgain(who) : texts.queued(who),
    tone: "neutral",
  }),
  job_claimed: ({ reason }, who) => {
    const attempt = laterAttempt(reason);
    return { text: attempt ? texts.pickedUpAgain(who, attempt) : texts.pickedUp(who), tone: "active" };
  },
  job_planned: ({ reason }) => ({ text: reason ? texts.plannedSegments(reason) : texts.planned, tone: "active" }),
  part_delivered: ({ reason }) => ({ text: delivered(reason), tone: "neutral" }),
  quality_completed: ({ reason }) => ({ text: texts.qualityDone(qualityName(reason ?? "")), tone: "good" }),
  quality_failed: ({ reason }) => {
    const [name, error] = split(reason);
    return { text: texts.qualityFailed(qualityName(name)), detail: asSentence(error), tone: "bad" };
  },
  job_completed: plain(texts.done, "good"),
  job_retry_scheduled: ({ reason }) => ({ text: texts.retrying, detail: failure(reason), tone: "warning" }),
  job_failed: ({ reason }) => ({ text: texts.failed, detail: failure(reason), tone: "bad" }),
  job_released: ({ reason }, who) => ({
    text: texts.released(who),
    detail: reason === "handed back" ? undefined : asSentence(reason ?? ""),
    tone: "neutral",
  }),
  job_lost: ({ reason }, _, worker) => ({
    text: worker ? texts.namedWorkerLost(worker) : texts.workerLost,
    detail: asSentence(reason ?? ""),
    tone: "warning",
  }),
  job_cancelled: ({ reason }, who) => ({
    text: texts.cancelled(who),
    detail: reason && reason !== "cancelled" ? asSentence(reason) : undefined,
    tone: "warning",
  }),
  job_requeued: (_, who) => ({ text: texts.retried(who), tone: "neutral" }),
  job_priority_changed: ({ reason }, who) => ({ text: texts.priority(reason ?? "", who), tone: "neutral" }),
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

function qualityName(name: string): string {
  return name ? qualityLabel(name) : texts.aQuality;
}

/** "encoder: libx264: -12" → "The encoder failed. Libx264: -12." */
function failure(reason: string | null | undefined): string {
  const [errorClass, error] = split(reason);
  if (error === "") return asSentence(errorClass);
  const { reason: short } = explain(errorClass, error);
  const said = asSentence(error);
  return short === said ? short : `${short} ${said}`;
}

function delivered(reason: string | null | undefined): string {
  const part = parsePart(reason);
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

/** "720p: segments 0 to 3"; they are counted from 0. */
export function parsePart(reason: string | null | undefined): DeliveredPart | null {
  const found = /^(.+): segments (\d+) to (\d+)$/.exec(reason ?? "");
  return found?.[1] ? { quality: found[1], first: Number(found[2]), last: Number(found[3]) } : null;
}

function split(reason: string | null | undefined): [head: string, rest: string] {
  const text = reason ?? "";
  const colon = text.indexOf(": ");
  return colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 2)];
}
