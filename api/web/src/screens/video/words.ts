/** What the page says of one video; nothing here touches the page itself. */
import type { QualityStatus, Video, Work } from "@/api/types";
import { formatPercent } from "@/format/count";
import { formatEta } from "@/format/eta";
import { languageName } from "@/format/language";
import { placeInQueue } from "@/format/place";
import { asSentence, firstLine } from "@/format/sentence";
import { stepWords, videoStatusWords, type Words } from "@/format/words";
import { videoTexts } from "@/texts/video";

const texts = videoTexts.progress;

/** A video that somebody stopped did not fail. */
export function statusWords(video: Pick<Video, "status" | "cancelled">): Words {
  return video.cancelled ? { label: videoTexts.cancelled, tone: "neutral" } : videoStatusWords[video.status];
}

/** Why there is nothing to play, in a sentence. */
export function errorSentence({ error }: Pick<Video, "error">): string {
  return asSentence(firstLine(error ?? "")) || videoTexts.failure.noMessage;
}

/** A video without a video track plays as audio. */
export function isAudioOnly({ generation, width }: Pick<Video, "generation" | "width">): boolean {
  return generation > 0 && width == null;
}

/** What is being done at this moment: "Waiting", "Probing file", "Transcoding again". */
export function stepText(work: Pick<Work, "status" | "step">, again: boolean): string {
  if (work.status === "pending") return again ? texts.waitingAgain : texts.waiting;
  const step = work.step ? stepWords[work.step] : texts.starting;
  return again && work.step === "transcode" ? texts.transcodingAgain : step;
}

/** The state of the work in one line, for those who hear the page. */
export function spokenProgress(work: Work, again: boolean, now: number): string {
  const parts = [stepText(work, again)];
  if (work.status === "running") parts.push(formatPercent(work.percent));
  if (work.position != null) parts.push(placeInQueue(work.position).toLowerCase());
  if (work.eta) parts.push(texts.spokenDoneIn(formatEta(work.eta, now)));
  const line = parts.join(", ");
  return work.waiting ? `${line}. ${work.waiting.text}` : line;
}

export function resolution({ width, height }: { width?: number | null; height?: number | null }): string | null {
  return width && height ? `${width} × ${height}` : null;
}

/** 25 → "25 fps", 30000/1001 → "29.97 fps". */
export function frameRate(rate: number): string {
  return `${Number(rate.toFixed(3))} fps`;
}

/** "English, German (Commentary)"; null if there are no tracks. */
export function trackList(tracks: readonly { language?: string | null; title?: string | null }[] | undefined) {
  if (!tracks || tracks.length === 0) return null;
  return tracks
    .map(({ language, title }, index) => {
      const name = languageName(language);
      return name && title && title !== name
        ? `${name} (${title})`
        : title || name || videoTexts.details.track(index + 1);
    })
    .join(", ");
}

/** Qualities that are made at all; those above the source are skipped and only take room. */
export function withoutSkipped<T extends { status: QualityStatus }>(qualities: readonly T[]): T[] {
  return qualities.filter(({ status }) => status !== "skipped");
}

/** What can be done with a video as it is now. */
export function possible(video: Pick<Video, "status" | "work" | "source_deleted_at">) {
  const working = video.work != null;
  const hasSource = video.source_deleted_at == null;
  return {
    retry: video.status === "failed" && !working && hasSource,
    cancel: working,
    retranscode: video.status === "ready" && !working && hasSource,
    download: hasSource,
  };
}

/** Why it cannot be transcoded again, for a button that is there but does nothing; null if there is no reason. */
export function noSourceWords({ source_deleted_at }: Pick<Video, "source_deleted_at">): string | null {
  return source_deleted_at == null ? null : videoTexts.noOriginal;
}
