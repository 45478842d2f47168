import { Text } from "@mantine/core";
import type { Waiting } from "@/api/types";
import { commonTexts } from "@/texts/common";
import { Countdown } from "./Countdown";

/** Why a job waits, and how long until it is retried. Other waits that end by time have it in their text. */
export function WaitingText({ waiting }: { waiting: Waiting | null | undefined }) {
  if (!waiting) return null;
  return (
    <Text span size="sm" c="dimmed">
      {waiting.text}
      {waiting.reason === "retry" && waiting.until && (
        <>
          {" "}
          {commonTexts.retryingIn} <Countdown until={waiting.until} />.
        </>
      )}
    </Text>
  );
}
