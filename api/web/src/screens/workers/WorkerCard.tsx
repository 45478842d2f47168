import { memo } from "react";
import type { Worker } from "@/api/types";
import { StatusBadge, ToneBadge } from "@/components/StatusBadge";
import { workersTexts as texts } from "@/texts/workers";
import { readCapabilities } from "./capabilities";
import { Machine } from "./Machine";
import type { WorkerActions } from "./useWorkerActions";
import classes from "./WorkerCard.module.css";
import { WorkerFacts } from "./WorkerFacts";
import { WorkerJobs } from "./WorkerJobs";
import { WorkerMenu } from "./WorkerMenu";

interface WorkerCardProps {
  worker: Worker;
  actions: WorkerActions;
  serverVersion: string | undefined;
}

/** More GPUs than these stand beside each other, over the whole width. */
const NARROW_GPUS = 2;

/** Renders only when its own worker changed. */
export const WorkerCard = memo(function WorkerCard({ worker, actions, serverVersion }: WorkerCardProps) {
  const capabilities = readCapabilities(worker.capabilities);
  const version = worker.version ?? capabilities.version;
  const titleId = `worker-${worker.id}`;
  return (
    <article
      className={classes.card}
      data-row={worker.id}
      data-status={worker.status}
      data-wide={worker.gpus.length > NARROW_GPUS || undefined}
      aria-labelledby={titleId}
    >
      <header className={classes.head}>
        <h2 id={titleId} className={classes.name}>
          {worker.name}
        </h2>
        <StatusBadge worker={worker.status} draining={worker.draining} />
        <WorkerMenu worker={worker} actions={actions} />
      </header>
      <WorkerFacts worker={worker} version={version} />
      {version && serverVersion && version !== serverVersion && (
        <div>
          <ToneBadge label={texts.versionDiffers(version, serverVersion)} tone="warning" />
        </div>
      )}
      <WorkerJobs worker={worker} />
      <Machine capabilities={capabilities} worker={worker} />
    </article>
  );
});
