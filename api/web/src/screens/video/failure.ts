/** What went wrong and what to do about it. */
import type { ErrorClass, Job, Video } from "@/api/types";
import { asSentence, firstLine } from "@/format/sentence";
import { videoTexts } from "@/texts/video";

const { failure: texts, failures } = videoTexts;

export interface Explanation {
  /** What went wrong, short. */
  reason: string;
  /** What to do. */
  advice: string;
  /** Whether trying again can help. */
  retryHelps: boolean;
}

/** Every class, and whether a retry can help. */
const retryHelps: Record<ErrorClass, boolean> = {
  input_missing: false,
  input_denied: true,
  input_invalid: false,
  encoder: true,
  gpu_busy: true,
  transfer: true,
  storage: true,
  timeout: true,
  internal: true,
  poison: true,
};

export function explain(errorClass: string | null | undefined, error: string | null | undefined): Explanation {
  const said = asSentence(firstLine(error ?? ""));
  if (!isKnown(errorClass)) return { reason: said || texts.noMessage, advice: texts.otherAdvice, retryHelps: true };
  // What the worker reports of an invalid file is written for people.
  const reason = errorClass === "input_invalid" ? said || texts.notAVideo : failures[errorClass].reason;
  return { reason, advice: failures[errorClass].advice, retryHelps: retryHelps[errorClass] };
}

/** Why a video has nothing to play; its newest transcode knows the class. */
export function explainVideo(video: Pick<Video, "cancelled" | "error">, newest: Job | undefined): Explanation {
  if (video.cancelled || newest?.status === "cancelled") return { ...failures.cancelled, retryHelps: true };
  return explain(newest?.error_class, newest?.error ?? video.error);
}

/** What to copy into a report. */
export function technicalLines(lines: readonly [label: string, value: string | number | null | undefined][]): string {
  return lines
    .filter(([, value]) => value != null && value !== "")
    .map(([label, value]) => `${label}: ${value}`)
    .join("\n");
}

function isKnown(errorClass: string | null | undefined): errorClass is ErrorClass {
  return errorClass != null && errorClass in retryHelps;
}
