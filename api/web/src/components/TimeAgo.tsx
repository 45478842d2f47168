import { useNow } from "@/format/now";
import { formatTime, formatTimeAgo } from "@/format/time";

const MINUTE_MS = 60_000;
const STEP_MS = 5_000;

/** "4 min ago", with the full time as the title. */
export function TimeAgo({ time }: { time: string }) {
  const now = useNow(STEP_MS);
  // The clock goes in steps: what just happened must not lie in the future.
  const shown = Math.max(now, Math.min(Date.parse(time), now + MINUTE_MS));
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatTimeAgo(time, shown)}
    </time>
  );
}
