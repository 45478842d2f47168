import { commonTexts } from "@/texts/common";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The length of a video: "0:07", "4:05", "1:02:03". */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / HOUR);
  const minutes = Math.floor((whole % HOUR) / MINUTE);
  const rest = String(whole % MINUTE).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A stretch of time in words: "20 s", "4 min", "1 h 20 min", "3 days". */
export function formatSpan(seconds: number): string {
  const value = Math.max(0, seconds);
  if (value < MINUTE - 0.5) return `${Math.round(value)} s`;
  if (value < HOUR - 30) return `${Math.round(value / MINUTE)} min`;
  if (value < DAY - 30) {
    const minutes = Math.round(value / MINUTE);
    const rest = minutes % 60;
    const hours = Math.floor(minutes / 60);
    return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
  }
  return commonTexts.days(Math.round(value / DAY));
}

/** For a timer that runs down: "00:28", "1:02:03". */
export function formatCountdown(seconds: number): string {
  const clock = formatClock(Math.max(0, Math.ceil(seconds)));
  return clock.length === 4 ? `0${clock}` : clock;
}
