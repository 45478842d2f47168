/** What happened, in plain words. */
import type { EventKind, FarmEvent } from "@/api/types";
import { eventName, laterAttempt } from "@/format/events";
import { qualityLabel } from "@/format/quality";
import { asSentence, capital } from "@/format/sentence";
import type { Tone } from "@/format/words";
import { explain } from "../failure";

export interface EventWords {
  text: string;
  /** More about it, if there is more. */
  detail?: string;
  tone: Tone;
}

/** The names of workers by id; an event has only the id. */
export type WorkerNames = ReadonlyMap<string, string>;

const FARM = "Framefarm";

type Speaker = (event: FarmEvent, who: string) => EventWords;

const plain =
  (text: string, tone: Tone = "neutral"): Speaker =>
  () => ({ text, tone });

/** What happens to jobs; of everything else its name is enough. */
const words: Partial<Record<EventKind, Speaker>> = {
  job_enqueued: ({ reason }, who) => ({
    text: reason === "re-transcode" ? `${subject(who)} asked to transcode it again` : `Added to the queue by ${who}`,
    tone: "neutral",
  }),
  job_claimed: ({ reason }, who) => ({
    text: [`${subject(who)} took it`, laterAttempt(reason)].filter(Boolean).join(", "),
    tone: "active",
  }),
  job_planned: ({ reason }) => ({ text: `Planned${reason ? `: ${reason} for each quality` : ""}`, tone: "active" }),
  part_delivered: ({ reason }) => ({ text: delivered(reason), tone: "neutral" }),
  quality_completed: ({ reason }) => ({ text: `${reason ? qualityLabel(reason) : "A quality"} is done`, tone: "good" }),
  quality_failed: ({ reason }) => {
    const [name, error] = split(reason);
    return { text: `${name ? qualityLabel(name) : "A quality"} failed`, detail: asSentence(error), tone: "bad" };
  },
  job_completed: plain("Done", "good"),
  job_retry_scheduled: ({ reason }) => ({
    text: "The attempt failed; it is tried again by itself",
    detail: failure(reason),
    tone: "warning",
  }),
  job_failed: ({ reason }) => ({ text: "Failed for good", detail: failure(reason), tone: "bad" }),
  job_released: ({ reason }, who) => ({
    text: `${subject(who)} handed it back; nothing is lost`,
    detail: reason === "handed back" ? undefined : asSentence(reason ?? ""),
    tone: "neutral",
  }),
  job_lost: ({ reason }, who) => ({
    text:
      who === FARM ? "Its worker went away; another one takes it" : `${subject(who)} went away; another one takes it`,
    detail: asSentence(reason ?? ""),
    tone: "warning",
  }),
  job_cancelled: ({ reason }, who) => ({
    text: `Cancelled by ${who}`,
    detail: reason && reason !== "cancelled" ? asSentence(reason) : undefined,
    tone: "warning",
  }),
  job_requeued: (_, who) => ({ text: `${subject(who)} had it tried again`, tone: "neutral" }),
  job_priority_changed: ({ reason }, who) => ({
    text: `${subject(who)} set the priority to ${reason}`,
    tone: "neutral",
  }),
  late_report: ({ reason }) => ({
    text: "A report came too late and changed nothing",
    detail: asSentence(reason ?? ""),
    tone: "neutral",
  }),
};

export function eventWords(event: FarmEvent, workers: WorkerNames = new Map()): EventWords {
  const speaker = words[event.kind] ?? plain(eventName(event.kind));
  const told = speaker(event, actorWords(event, workers));
  return told.detail ? told : { text: told.text, tone: told.tone };
}

/** Who did it: a person, a token, a worker, or the farm itself. */
export function actorWords({ actor, worker_id }: FarmEvent, workers: WorkerNames): string {
  if (actor === "worker") return (worker_id && workers.get(worker_id)) || "the worker";
  if (actor === "farm") return (worker_id && workers.get(worker_id)) || FARM;
  if (actor.startsWith("worker:")) return actor.slice("worker:".length);
  if (actor.startsWith("token:")) return `token ${actor.slice("token:".length)}`;
  return actor;
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
  if (!part) return "Segments delivered";
  const { first, last } = part;
  const quality = qualityLabel(part.quality);
  return first === last
    ? `${quality}: segment ${first + 1} delivered`
    : `${quality}: segments ${first + 1}–${last + 1} delivered`;
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

/** At the beginning of a sentence; the name of a worker stays as it is written. */
function subject(who: string): string {
  return who === "the worker" || who === "admin" || who.startsWith("token ") ? capital(who) : who;
}
