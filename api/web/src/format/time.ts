import { commonTexts } from "@/texts/common";
import { formatSpan } from "./duration";

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function formatTime(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? "" : absolute.format(time);
}

/** "just now", "4 min ago", "in 20 s". */
export function formatTimeAgo(iso: string, now: number): string {
  const seconds = (now - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (Math.abs(seconds) < 5) return commonTexts.justNow;
  return seconds > 0 ? commonTexts.ago(formatSpan(seconds)) : commonTexts.inTime(formatSpan(-seconds));
}

export function secondsUntil(iso: string, now: number): number {
  return Math.max(0, (Date.parse(iso) - now) / 1000);
}
