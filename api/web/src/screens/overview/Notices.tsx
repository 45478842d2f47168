import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CirclePause, Cpu, Unplug } from "lucide-react";
import { queuesQuery, workersQuery } from "@/api/queries";
import { ButtonLink } from "@/components/links";
import { Notice } from "@/components/Notice";
import { failedGpus } from "@/format/gpus";
import { capital } from "@/format/sentence";
import { queueTypeWords } from "@/format/words";
import { onlineOf, type WorkerCounts } from "@/format/workers";
import { overviewTexts as texts } from "@/texts/overview";
import { FiringAlerts } from "./FiringAlerts";
import classes from "./Notices.module.css";

interface NoticesProps {
  degraded: readonly string[];
  workers: WorkerCounts;
  waiting: number;
}

/** What needs somebody: no workers, a paused queue, and whatever else the server complains about. */
export function Notices({ degraded, workers, waiting }: NoticesProps) {
  return (
    <Stack gap="sm" aria-live="polite" className={classes.notices}>
      {onlineOf(workers) === 0 && <NoWorkers workers={workers} waiting={waiting} />}
      <FiringAlerts />
      <PausedQueues />
      <FailedGpus />
      {degraded.map((text) => (
        <Notice key={text} tone="warning" title={capital(text)} />
      ))}
    </Stack>
  );
}

function NoWorkers({ workers, waiting }: Pick<NoticesProps, "workers" | "waiting">) {
  return (
    <Notice tone="bad" title={texts.noWorkers.title} icon={<Unplug size={20} aria-hidden />}>
      <span>{whatIsKnown(workers)}</span>
      <span>{waiting === 0 ? texts.noWorkers.uploadsWait : texts.noWorkers.jobsWait(waiting)}</span>
      <ButtonLink to="/workers" size="xs">
        {workers.offline + workers.disabled > 0 ? texts.noWorkers.view : texts.noWorkers.add}
      </ButtonLink>
    </Notice>
  );
}

function whatIsKnown({ offline, disabled }: WorkerCounts): string {
  const known = [
    offline > 0 ? texts.noWorkers.offline(offline) : "",
    disabled > 0 ? texts.noWorkers.disabled(disabled) : "",
  ].filter(Boolean);
  if (known.length === 0) return texts.noWorkers.neverJoined;
  return texts.noWorkers.startOne(known.join(texts.noWorkers.and));
}

function PausedQueues() {
  const { data } = useQuery(queuesQuery());
  const paused = data?.queues.filter((queue) => queue.paused) ?? [];
  if (paused.length === 0) return null;
  const isAll = paused.length === data?.queues.length;
  const title = isAll
    ? texts.paused.all
    : texts.paused.some(paused.map((queue) => queueTypeWords[queue.queue_type].toLowerCase()).join(", "));
  return (
    <Notice tone="warning" title={title} icon={<CirclePause size={20} aria-hidden />}>
      <span>{texts.paused.text}</span>
      <ButtonLink to="/queue" size="xs" variant="default">
        {texts.paused.view}
      </ButtonLink>
    </Notice>
  );
}

const MOST_GPUS = 5;

/** Rendered again only when a GPU fails or recovers, not with every heartbeat of a worker. */
function FailedGpus() {
  const { data: failed = [] } = useQuery({ ...workersQuery(), select: ({ items }) => failedGpus(items) });
  if (failed.length === 0) return null;
  const more = failed.length - MOST_GPUS;
  return (
    <Notice tone="warning" title={texts.failedGpus.title(failed.length)} icon={<Cpu size={20} aria-hidden />}>
      {failed.slice(0, MOST_GPUS).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {more > 0 && <span>{texts.failedGpus.more(more)}</span>}
      <span>{texts.failedGpus.text}</span>
      <ButtonLink to="/workers" size="xs" variant="default">
        {texts.failedGpus.view}
      </ButtonLink>
    </Notice>
  );
}
