import { Pause, Play } from "lucide-react";
import type { Queue } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { queueTexts as texts } from "@/texts/queue";
import { usePause } from "./usePause";

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
