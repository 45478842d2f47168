import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { Worker, WorkerJob } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EtaText } from "@/components/EtaText";
import { formatPercent } from "@/format/count";
import { workersTexts } from "@/texts/workers";
import classes from "./WorkerCard.module.css";

const texts = workersTexts.jobs;

/** What it works on now. */
export function WorkerJobs({ worker }: { worker: Worker }) {
  if (worker.jobs.length === 0) return <p className={classes.note}>{idleWords(worker)}</p>;
  return (
    <ul className={classes.jobs} aria-label={texts.label(worker.name)}>
      {worker.jobs.map((job) => (
        <JobOf key={job.id} job={job} />
      ))}
    </ul>
  );
}

const JobOf = memo(function JobOf({ job }: { job: WorkerJob }) {
  return (
    <li>
      <Link to="/library/$id" params={{ id: job.video_id }} className={classes.title} title={job.video_title}>
        {job.video_title}
      </Link>
      <Bar percent={job.percent} label={texts.progressOf(job.video_title)} height={7} />
      <div className={classes.progress}>
        <span className="numbers" aria-hidden>
          {formatPercent(job.percent)}
        </span>
        <span className={classes.note}>
          {job.eta ? (
            <>
              <EtaText eta={job.eta} /> {texts.left}
            </>
          ) : (
            texts.noEstimate
          )}
        </span>
      </div>
    </li>
  );
});

function idleWords({ status, draining }: Worker): string {
  if (status === "offline") return texts.offline;
  if (status === "disabled") return texts.disabled;
  return draining ? texts.drained : texts.idle;
}
