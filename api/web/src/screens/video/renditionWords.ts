import type { Quality } from "@/api/types";
import { codecWords } from "@/format/words";

export function codecName({ codec, kind }: Pick<Quality, "codec" | "kind">): string {
  if (kind === "audio" || !codec) return "AAC";
  return codecWords[codec] ?? codec;
}

export function bitrate(bitsPerSecond: number): string {
  if (bitsPerSecond >= 1_000_000) return `${(bitsPerSecond / 1_000_000).toFixed(1)} Mbit/s`;
  return `${Math.round(bitsPerSecond / 1000)} kbit/s`;
}

/** How fast it is encoded: pictures a second, and seconds of video a second. */
export function pace({ kind, fps, speed }: Pick<Quality, "kind" | "fps" | "speed">): string[] {
  const parts: string[] = [];
  if (kind === "video" && fps != null) parts.push(`${Math.round(fps)} fps`);
  if (speed != null && speed >= 0.05) parts.push(`${speed.toFixed(1)}×`);
  return parts;
}
