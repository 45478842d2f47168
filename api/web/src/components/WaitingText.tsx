import { Text } from "@mantine/core";
import type { Waiting } from "@/api/types";
import { Countdown } from "./Countdown";

/** Why a job waits, and until when if that is known. */
export function WaitingText({ waiting }: { waiting: Waiting | null | undefined }) {
  if (!waiting) return null;
  return (
    <Text span size="sm" c="dimmed">
      {waiting.text}
      {waiting.until && (
        <>
          {waiting.reason === "retry" ? " Retry in " : " At most "}
          <Countdown until={waiting.until} />.
        </>
      )}
    </Text>
  );
}
