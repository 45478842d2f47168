import { useQuery } from "@tanstack/react-query";
import { overviewQuery } from "@/api/queries";
import type { Depth, Queue } from "@/api/types";
import { EtaText } from "@/components/EtaText";
import { PoliteProgress } from "@/components/PoliteProgress";
import { queueTexts as texts } from "@/texts/queue";

/** One line under the title: how much there is, and when it will be done. */
export function Summary({ depth }: { depth: Depth }) {
  const { data } = useQuery(overviewQuery());
  const active = depth.running + depth.pending > 0;
  const counts = countsText(depth);
  return (
    <>
      <span className="numbers">{counts}</span>
      {active && data?.queue_eta && (
        <>
          {` · ${texts.summary.timeToClear} `}
          <EtaText eta={data.queue_eta} />
        </>
      )}
      <PoliteProgress text={counts} />
    </>
  );
}

function countsText({ running, pending, errors }: Depth): string {
  if (running + pending + errors === 0) return texts.summary.empty;
  const parts = [texts.summary.running(running), texts.summary.waiting(pending)];
  if (errors > 0) parts.push(texts.summary.failed(errors));
  return parts.join(" · ");
}

/** All queues together. */
export function totalDepth(queues: readonly Queue[]): Depth {
  return queues.reduce(
    (total, { depth }) => ({
      pending: total.pending + depth.pending,
      running: total.running + depth.running,
      completed: total.completed + depth.completed,
      errors: total.errors + depth.errors,
    }),
    { pending: 0, running: 0, completed: 0, errors: 0 },
  );
}
