import { formatCountdown } from "@/format/duration";
import { useNow } from "@/format/now";
import { formatTime, secondsUntil } from "@/format/time";

/** Runs down to `until`. Not announced: it would never stop talking. */
export function Countdown({ until }: { until: string }) {
  const now = useNow();
  return (
    <time className="numbers" dateTime={until} title={formatTime(until)} role="timer" aria-live="off">
      {formatCountdown(secondsUntil(until, now))}
    </time>
  );
}
