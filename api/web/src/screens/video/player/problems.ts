/** Why a video does not play, in words. */
export interface PlaybackProblem {
  title: string;
  advice: string;
}

export interface Trouble {
  kind: "network" | "media" | "unsupported" | "other";
  /** What the server answered, if it did. */
  status?: number;
  /** The name that the player has for it, for a report. */
  details?: string;
}

export function problemWords({ kind, status }: Trouble): PlaybackProblem {
  if (kind === "unsupported") {
    return {
      title: "This browser cannot play the video",
      advice: "It needs Media Source Extensions or HLS. Try a newer browser, or download the original.",
    };
  }
  if (kind === "media") {
    return { title: "The browser could not decode the video", advice: "Try again, or choose another quality." };
  }
  if (kind === "other") return { title: "The video stopped", advice: "Try again." };
  if (status === 401 || status === 403) {
    return { title: "The server does not let you watch this video", advice: "Log in again, then try again." };
  }
  if (status === 404 || status === 410) {
    return {
      title: "A part of the video is not there any more",
      advice: "It may have been replaced or deleted in the meantime. Try again to get what is there now.",
    };
  }
  if (status !== undefined && status >= 500) {
    return { title: "The server could not deliver the video", advice: "Its log says why. Try again in a moment." };
  }
  return { title: "The video cannot be loaded", advice: "Check that the server runs and that you are connected." };
}
