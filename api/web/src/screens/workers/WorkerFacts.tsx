import type { Worker } from "@/api/types";
import { TimeAgo } from "@/components/TimeAgo";
import { formatNumber } from "@/format/count";
import { formatFactor } from "./speed";
import classes from "./WorkerCard.module.css";

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
        <dt>Type</dt>
        <dd title={worker_type === "local" ? "Started by the server, on its machine" : "Joined over the network"}>
          {worker_type === "local" ? "Local" : "Remote"}
        </dd>
      </div>
      <div>
        <dt>Slots</dt>
        <dd className="numbers">
          {formatNumber(jobs.length)} of {formatNumber(slots)}
        </dd>
      </div>
      <div>
        <dt>Speed</dt>
        <dd title="Seconds of video for each second of work, over its last jobs">
          {typeof speed === "number" ? formatFactor(speed) : "not known yet"}
        </dd>
      </div>
      <div>
        <dt>Version</dt>
        <dd className="any-break">{version ?? "not told"}</dd>
      </div>
      <div>
        <dt>Last seen</dt>
        <dd>{last_heartbeat ? <TimeAgo time={last_heartbeat} /> : "never"}</dd>
      </div>
    </dl>
  );
}
