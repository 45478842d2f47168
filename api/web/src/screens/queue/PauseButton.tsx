import { Pause, Play } from "lucide-react";
import { api, body } from "@/api/client";
import { useAction } from "@/api/mutations";
import type { Queue } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { queueTexts as texts } from "@/texts/queue";
import { queueKeys } from "./useJobActions";

/** One button that stays in its place: the focus is still on it after it was pressed. */
export function PauseButton({ queues }: { queues: readonly Queue[] }) {
  const pause = usePause();
  const paused = queues.some((queue) => queue.paused);
  return (
    <BusyButton
      variant={paused ? "filled" : "default"}
      leftSection={paused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
      busy={pause.isPending}
      onClick={() => pause.mutate(!paused)}
    >
      {paused ? texts.pause.resume : texts.pause.pause}
    </BusyButton>
  );
}

/** Pauses (true) or resumes (false) every queue. */
export function usePause() {
  return useAction({
    run: (paused: boolean) => body(paused ? api.POST("/api/queue/pause") : api.POST("/api/queue/resume")),
    done: (_, paused) => (paused ? texts.pause.paused : texts.pause.resumed),
    failed: texts.pause.failed,
    touches: queueKeys,
  });
}
