import { Text } from "@mantine/core";
import type { Waiting } from "@/api/types";
import { Countdown } from "./Countdown";

/** Why a job waits, and how long until it is tried again. What else ends by itself is in the words already. */
export function WaitingText({ waiting }: { waiting: Waiting | null | undefined }) {
  if (!waiting) return null;
  return (
    <Text span size="sm" c="dimmed">
      {waiting.text}
      {waiting.reason === "retry" && waiting.until && (
        <>
          {" "}
          Retry in <Countdown until={waiting.until} />.
        </>
      )}
    </Text>
  );
}
