import type { Worker } from "@/api/types";
import { TimeAgo } from "@/components/TimeAgo";
import { workersTexts } from "@/texts/workers";
import classes from "./WorkerCard.module.css";

const texts = workersTexts.facts;

interface WorkerFactsProps {
  worker: Worker;
  version: string | null;
}

/** A few numbers beside their names. */
export function WorkerFacts({ worker, version }: WorkerFactsProps) {
  const { worker_type, jobs, slots, speed, last_heartbeat } = worker;
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{texts.type}</dt>
        <dd title={worker_type === "local" ? texts.localHelp : texts.remoteHelp}>
          {worker_type === "local" ? texts.local : texts.remote}
        </dd>
      </div>
      <div>
        <dt>{texts.slots}</dt>
        <dd className="numbers">{texts.slotsUsed(jobs.length, slots)}</dd>
      </div>
      <div>
        <dt>{texts.speed}</dt>
        <dd title={texts.speedHelp}>{typeof speed === "number" ? formatFactor(speed) : texts.unknown}</dd>
      </div>
      <div>
        <dt>{texts.version}</dt>
        <dd className="any-break">{version ?? texts.unknown}</dd>
      </div>
      <div>
        <dt>{texts.lastSeen}</dt>
        <dd>{last_heartbeat ? <TimeAgo time={last_heartbeat} /> : texts.never}</dd>
      </div>
    </dl>
  );
}

/** 3.24 → "3.2× real time": seconds of video for each second of work. */
export function formatFactor(factor: number): string {
  const shown = factor < 10 ? factor.toFixed(1) : String(Math.round(factor));
  return texts.realTime(shown);
}
