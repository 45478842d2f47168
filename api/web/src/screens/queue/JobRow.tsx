import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { Job } from "@/api/types";
import { SelectBox } from "@/components/SelectBox";
import { queueTexts as texts } from "@/texts/queue";
import { CancelledFacts, DoneFacts, FailedFacts } from "./EndedFacts";
import classes from "./JobList.module.css";
import { JobMenu } from "./JobMenu";
import { RunningFacts } from "./RunningFacts";
import type { JobActions } from "./useJobActions";
import { WaitingFacts } from "./WaitingFacts";

interface JobRowProps {
  job: Job;
  actions: JobActions;
  /** How many wait in all, for "3 of 20". */
  waiting?: number;
  /** Absent where there is nothing to select for. */
  selected?: boolean;
  onToggle: (id: string, on: boolean, range: boolean) => void;
}

/** Renders only when its own job or its own mark changed: progress comes twice a second, and lists are long. */
export const JobRow = memo(function JobRow({ job, actions, waiting, selected, onToggle }: JobRowProps) {
  return (
    <li className={classes.row} data-row={job.id} data-selected={selected || undefined}>
      {selected !== undefined && (
        <div className={classes.check}>
          <SelectBox
            label={texts.job.select(job.video_title, job.number)}
            checked={selected}
            onChange={(on, range) => onToggle(job.id, on, range)}
          />
        </div>
      )}
      <div className={classes.name}>
        <Link to="/library/$id" params={{ id: job.video_id }} className={classes.title} title={job.video_title}>
          {job.video_title}
        </Link>
        <div className={classes.note}>{noteOf(job)}</div>
      </div>
      <Facts job={job} actions={actions} waiting={waiting} />
      <div className={classes.menu}>
        <JobMenu job={job} actions={actions} />
      </div>
    </li>
  );
});

function Facts({ job, actions, waiting }: Pick<JobRowProps, "job" | "actions" | "waiting">) {
  switch (job.status) {
    case "running":
      return <RunningFacts job={job} />;
    case "pending":
      return <WaitingFacts job={job} waiting={waiting} />;
    case "failed":
      return <FailedFacts job={job} actions={actions} />;
    case "completed":
      return <DoneFacts job={job} />;
    case "cancelled":
      return <CancelledFacts job={job} actions={actions} />;
  }
}

function noteOf({ number, collection, worker_name, processed_by_worker_name }: Job): string {
  const worker = worker_name ?? processed_by_worker_name;
  return [texts.job.number(number), collection, worker].filter(Boolean).join(" · ");
}
