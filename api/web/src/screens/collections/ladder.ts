/** A ladder as the server writes it: `1080p:5000,720p:2500:hevc`; and what it makes, in words. */
import type { VideoCodec } from "@/api/types";
import { formatBytes } from "@/format/bytes";
import { codecWords } from "@/format/words";
import { collectionsTexts } from "@/texts/collections";

const texts = collectionsTexts.ladder;

export const codecs = Object.entries(codecWords).map(([value, label]) => ({ value, label }));

/** What a field holds while somebody types may be no number. */
export interface Rung {
  /** Shorter side of the video, in pixels. */
  side: number | string;
  kbps: number | string;
  codec: VideoCodec;
}

export const usualLadder: readonly Rung[] = [
  { side: 1080, kbps: 5_000, codec: "h264" },
  { side: 720, kbps: 2_500, codec: "h264" },
  { side: 480, kbps: 1_000, codec: "h264" },
];

export const MOST_RUNGS = 24;
const HIGHEST_SIDE = 4_320;
const LOWEST_KBPS = 50;
const HIGHEST_KBPS = 200_000;
const HOUR_SECONDS = 3_600;
const SOUND_KBPS = 192;

export function parseLadder(text: string): Rung[] {
  return text.split(",").map((rung) => {
    const [side = "", kbps = "", codec = "h264"] = rung.trim().split(":");
    return { side: Number.parseInt(side, 10), kbps: Number(kbps), codec: codec as VideoCodec };
  });
}

export function ladderText(rungs: readonly Rung[]): string {
  return rungs.map(({ side, kbps, codec }) => `${side}p:${kbps}${codec === "h264" ? "" : `:${codec}`}`).join(",");
}

/** "1080p", "720p HEVC" */
export function rungName({ side, codec }: Rung): string {
  return codec === "h264" ? `${side}p` : `${side}p ${codecWords[codec] ?? codec}`;
}

export function sideProblem(side: Rung["side"]): string | null {
  const isFine = isWhole(side) && side >= 2 && side <= HIGHEST_SIDE && side % 2 === 0;
  return isFine ? null : texts.wrongResolution(HIGHEST_SIDE);
}

export function kbpsProblem(kbps: Rung["kbps"]): string | null {
  const isFine = isWhole(kbps) && kbps >= LOWEST_KBPS && kbps <= HIGHEST_KBPS;
  return isFine ? null : texts.wrongBitrate(LOWEST_KBPS, HIGHEST_KBPS);
}

/** Why this is no ladder; null if it is one. */
export function ladderProblem(rungs: readonly Rung[]): string | null {
  if (rungs.length === 0) return texts.noQualities;
  if (rungs.length > MOST_RUNGS) return texts.tooMany(MOST_RUNGS);
  const wrong = rungs.some(({ side, kbps }) => sideProblem(side) ?? kbpsProblem(kbps));
  if (wrong) return texts.wrongNumber;
  const names = rungs.map(rungName);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice ? texts.listedTwice(twice) : null;
}

/** "3 qualities: 1080p, 720p, 480p. An hour of video takes up to 3.9 GB." */
export function ladderWords(rungs: readonly Rung[]): string {
  const best = rungs.toSorted((a, b) => Number(b.side) - Number(a.side));
  const kbps = rungs.reduce((total, rung) => total + Number(rung.kbps), SOUND_KBPS);
  const bytes = ((kbps * 1_000) / 8) * HOUR_SECONDS;
  const names = best.map(rungName).join(", ");
  return texts.result(rungs.length, names, formatBytes(bytes));
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}
