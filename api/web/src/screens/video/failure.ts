/** What went wrong and what to do about it. */
import type { ErrorClass, Job, Video } from "@/api/types";
import { asSentence, firstLine } from "@/format/sentence";
import { isCancelled } from "./words";

export interface Explanation {
  /** What went wrong, short. */
  reason: string;
  /** What to do. */
  advice: string;
  /** Whether trying again can help. */
  retryHelps: boolean;
}

type Known = Omit<Explanation, "reason"> & {
  /** Absent: the report itself is written for people. */
  reason?: string;
};

const known: Record<ErrorClass, Known> = {
  input_missing: {
    reason: "The original file is gone.",
    advice: "Upload it again.",
    retryHelps: false,
  },
  input_denied: {
    reason: "The original file may not be read.",
    advice: "Check the permissions of the storage, then retry.",
    retryHelps: true,
  },
  input_invalid: {
    advice: "Retrying does not help. Check that the file plays on your computer, export it anew, and upload that.",
    retryHelps: false,
  },
  encoder: {
    reason: "The encoder failed.",
    advice: "Retry. If it fails again, run framefarm-worker doctor on the worker that had it.",
    retryHelps: true,
  },
  gpu_busy: {
    reason: "Every encoder of the GPU was taken.",
    advice: "Nothing to do: it is tried again by itself.",
    retryHelps: true,
  },
  transfer: {
    reason: "The connection between the worker and the server broke.",
    advice: "Check the network of the worker, then retry.",
    retryHelps: true,
  },
  storage: {
    reason: "The storage failed.",
    advice: "Check that there is free space and that the disk is well, then retry.",
    retryHelps: true,
  },
  timeout: {
    reason: "Nothing moved for too long.",
    advice: "Retry. If it happens again, look at the worker that had it.",
    retryHelps: true,
  },
  internal: {
    reason: "Framefarm made a mistake.",
    advice: "Retry. If it happens again, please report it with the technical lines.",
    retryHelps: true,
  },
  poison: {
    reason: "It took its worker down too often.",
    advice: "The file may need more memory than the workers have. Give them more, then retry.",
    retryHelps: true,
  },
};

const cancelled: Explanation = {
  reason: "It was cancelled.",
  advice: "Retry to start it again. What was finished is kept.",
  retryHelps: true,
};

const unknown: Omit<Explanation, "reason"> = {
  advice: "Retry. If it fails again, look at the attempts below.",
  retryHelps: true,
};

export function explain(errorClass: string | null | undefined, error: string | null | undefined): Explanation {
  const said = asSentence(firstLine(error ?? ""));
  const words = isKnown(errorClass) ? known[errorClass] : undefined;
  if (!words) return { ...unknown, reason: said || "It failed, and nobody said why." };
  return { ...words, reason: words.reason ?? (said || "The file is not a video.") };
}

/** Why a video has nothing to play; its newest transcode knows the class. */
export function explainVideo(video: Pick<Video, "status" | "error">, newest: Job | undefined): Explanation {
  if (isCancelled(video) || newest?.status === "cancelled") return cancelled;
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
  return errorClass != null && errorClass in known;
}
