import { Stack } from "@mantine/core";
import { Play } from "lucide-react";
import type { Queue, QueueType, Worker } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { focusHeading } from "@/components/focusHeading";
import { ButtonLink } from "@/components/links";
import { Notice } from "@/components/Notice";
import { count } from "@/format/count";
import { queueTypeWords } from "@/format/words";
import { type Situation, situationsOf } from "./situation";
import { usePause } from "./usePause";

interface NoticesProps {
  queues: readonly Queue[];
  workers: readonly Worker[] | undefined;
}

/** Why waiting jobs do not start, each reason with what can be done about it. */
export function Notices({ queues, workers }: NoticesProps) {
  const situations = situationsOf(queues, workers);
  return (
    <Stack gap="xs" mb={situations.length > 0 ? "md" : 0} role="status">
      {situations.map((situation) => (
        <SituationNotice key={situation.kind} situation={situation} />
      ))}
    </Stack>
  );
}

function SituationNotice({ situation }: { situation: Situation }) {
  switch (situation.kind) {
    case "paused":
      return <PausedNotice {...situation} />;
    case "no_workers":
      return (
        <Notice tone="bad" title="No worker is online" action={<WorkersLink>Go to the workers</WorkersLink>}>
          {count(situation.waiting, "job waits", "jobs wait")} and nobody is there to take{" "}
          {situation.waiting === 1 ? "it" : "them"}.{" "}
          {situation.registered === 0 ? "Add a first worker." : "Start a worker, or enable one."}
        </Notice>
      );
    case "draining":
      return (
        <Notice tone="warning" title="No worker takes new jobs" action={<WorkersLink>Go to the workers</WorkersLink>}>
          {situation.workers === 1 ? "The worker that is online is" : `All ${situation.workers} online workers are`}{" "}
          draining: what runs is finished, and nothing new starts.
        </Notice>
      );
    case "limit":
      return (
        <Notice tone="neutral" title={`At most ${count(situation.most, "job runs", "jobs run")} at once`}>
          The limit of this queue is reached, and {count(situation.waiting, "job waits", "jobs wait")} for it. It can be
          changed in the queue settings.
        </Notice>
      );
    case "busy":
      return (
        <Notice tone="neutral" title="All workers are busy">
          {count(situation.workers, "worker")} with {count(situation.slots, "slot")} at work. The next job starts when
          one is done.
        </Notice>
      );
  }
}

function PausedNotice({ queues, all }: { queues: readonly QueueType[]; all: boolean }) {
  const pause = usePause();
  const named = queues.map((queue) => queueTypeWords[queue]).join(", ");
  return (
    <Notice
      tone="warning"
      title={all ? "The queue is paused" : `Paused: ${named}`}
      action={
        <BusyButton
          size="xs"
          variant="default"
          leftSection={<Play size={14} aria-hidden />}
          busy={pause.isPending}
          onClick={() => pause.mutate(false, { onSuccess: focusHeading })}
        >
          Resume
        </BusyButton>
      }
    >
      Running jobs go on. Nothing new starts until you resume it.
    </Notice>
  );
}

function WorkersLink({ children }: { children: string }) {
  return (
    <ButtonLink to="/workers" size="xs" variant="default">
      {children}
    </ButtonLink>
  );
}
