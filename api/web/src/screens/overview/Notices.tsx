import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CirclePause, Cpu, Unplug } from "lucide-react";
import { queuesQuery, workersQuery } from "@/api/queries";
import { ButtonLink } from "@/components/links";
import { Notice } from "@/components/Notice";
import { count } from "@/format/count";
import { failedGpus } from "@/format/gpus";
import { capital } from "@/format/sentence";
import { queueTypeWords } from "@/format/words";
import { onlineOf, type WorkerCounts } from "@/format/workers";
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
    <Notice tone="bad" title="No worker is online" icon={<Unplug size={20} aria-hidden />}>
      <span>{whatIsKnown(workers)}</span>
      <span>
        {waiting === 0
          ? "Videos you upload will wait until a worker is there."
          : `${count(waiting, "job waits", "jobs wait")} until a worker is there.`}
      </span>
      <ButtonLink to="/workers" size="xs">
        {workers.offline + workers.disabled > 0 ? "See the workers" : "Add a worker"}
      </ButtonLink>
    </Notice>
  );
}

function whatIsKnown({ offline, disabled }: WorkerCounts): string {
  const known = [
    offline > 0 ? `${count(offline, "worker is", "workers are")} offline` : "",
    disabled > 0 ? `${count(disabled, "worker is", "workers are")} disabled` : "",
  ].filter(Boolean);
  if (known.length === 0)
    return "None has ever joined this server. The page of the workers has the command that starts one.";
  return `${known.join(" and ")}. Start one again, or add another.`;
}

function PausedQueues() {
  const { data } = useQuery(queuesQuery());
  const paused = data?.queues.filter((queue) => queue.paused) ?? [];
  if (paused.length === 0) return null;
  const isAll = paused.length === data?.queues.length;
  const title = isAll
    ? "The queue is paused"
    : `Paused: ${paused.map((queue) => queueTypeWords[queue.queue_type].toLowerCase()).join(", ")}`;
  return (
    <Notice tone="warning" title={title} icon={<CirclePause size={20} aria-hidden />}>
      <span>Running jobs go on. Nothing new is started until it is resumed.</span>
      <ButtonLink to="/queue" size="xs" variant="default">
        Go to the queue
      </ButtonLink>
    </Notice>
  );
}

const MOST_GPUS = 5;

/** Rendered again only when a card fails or comes back, not with every sign of a worker. */
function FailedGpus() {
  const { data: failed = [] } = useQuery({ ...workersQuery(), select: ({ items }) => failedGpus(items) });
  if (failed.length === 0) return null;
  const more = failed.length - MOST_GPUS;
  return (
    <Notice
      tone="warning"
      title={count(failed.length, "GPU takes no work", "GPUs take no work")}
      icon={<Cpu size={20} aria-hidden />}
    >
      {failed.slice(0, MOST_GPUS).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {more > 0 && <span>and {count(more, "other")}</span>}
      <span>Jobs go on elsewhere. A card that answers again is used again by itself.</span>
      <ButtonLink to="/workers" size="xs" variant="default">
        See the workers
      </ButtonLink>
    </Notice>
  );
}
