import { Stack } from "@mantine/core";
import { Play } from "lucide-react";
import type { Queue, QueueType, Worker } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { focusHeading } from "@/components/focusHeading";
import { ButtonLink } from "@/components/links";
import { Notice } from "@/components/Notice";
import { queueTypeWords } from "@/format/words";
import { queueTexts } from "@/texts/queue";
import { usePause } from "./PauseButton";
import { type Situation, situationsOf } from "./situation";

const texts = queueTexts.notices;

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
        <Notice tone="bad" title={texts.noWorkers} action={<WorkersLink />}>
          {situation.registered === 0 ? texts.addWorker(situation.waiting) : texts.startWorker(situation.waiting)}
        </Notice>
      );
    case "draining":
      return (
        <Notice tone="warning" title={texts.draining} action={<WorkersLink />}>
          {situation.workers === 1 ? texts.drainingOne : texts.drainingMany(situation.workers)}
        </Notice>
      );
    case "limit":
      return (
        <Notice tone="neutral" title={texts.limit(situation.most)}>
          {texts.limitText(situation.waiting)}
        </Notice>
      );
    case "busy":
      return (
        <Notice tone="neutral" title={texts.busy}>
          {texts.busyText(situation.slots, situation.workers)}
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
      title={all ? texts.paused : texts.pausedSome(named)}
      action={
        <BusyButton
          size="xs"
          variant="default"
          leftSection={<Play size={14} aria-hidden />}
          busy={pause.isPending}
          onClick={() => pause.mutate(false, { onSuccess: focusHeading })}
        >
          {queueTexts.pause.resume}
        </BusyButton>
      }
    >
      {texts.pausedText}
    </Notice>
  );
}

function WorkersLink() {
  return (
    <ButtonLink to="/workers" size="xs" variant="default">
      {texts.viewWorkers}
    </ButtonLink>
  );
}
