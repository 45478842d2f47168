import { Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { ToneBadge } from "@/components/StatusBadge";
import { formatTime } from "@/format/time";
import { type Connection, useConnection } from "@/live/connection";
import { shellTexts } from "@/texts/shell";

const texts = shellTexts.connection;

/** A connection that is back within this time is not worth a word. */
const SHORT_MS = 2_000;

/** Says when what is on the page may be old. Nothing is shown while all is well. */
export function ConnectionStatus() {
  const connection = useConnection();
  const away = useAwayForLong(connection);
  return (
    <div role="status" aria-live="polite">
      {away && (
        <Tooltip label={texts.since(formatTime(new Date(connection.since).toISOString()))}>
          <span>
            <ToneBadge
              label={connection.state === "connecting" ? texts.connecting : texts.reconnecting}
              tone="warning"
            />
          </span>
        </Tooltip>
      )}
    </div>
  );
}

function useAwayForLong({ state, since }: Connection): boolean {
  const [shownFor, setShownFor] = useState<number | null>(null);
  useEffect(() => {
    if (state === "open") return;
    const timer = setTimeout(() => setShownFor(since), Math.max(0, since + SHORT_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [state, since]);
  return state !== "open" && shownFor === since;
}
