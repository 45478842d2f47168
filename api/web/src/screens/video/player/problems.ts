import { videoTexts } from "@/texts/video";

/** Why a video does not play, in words. */
export interface PlaybackProblem {
  title: string;
  advice: string;
}

export interface PlaybackError {
  kind: "network" | "media" | "unsupported" | "other";
  /** What the server answered, if it did. */
  status?: number;
  /** The name that the player has for it, for a report. */
  details?: string;
}

const texts = videoTexts.playbackProblems;

export function problemWords({ kind, status }: PlaybackError): PlaybackProblem {
  if (kind !== "network") return texts[kind];
  if (status === 401 || status === 403) return texts.denied;
  if (status === 404 || status === 410) return texts.missing;
  return status !== undefined && status >= 500 ? texts.server : texts.network;
}
