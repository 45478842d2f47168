import type { Job } from "@/api/types";
import type { Selection } from "@/components/useSelection";
import classes from "./JobList.module.css";
import { JobRow } from "./JobRow";
import type { JobActions } from "./useJobActions";

interface JobListProps {
  jobs: readonly Job[];
  label: string;
  actions: JobActions;
  /** How many wait in all. */
  waiting?: number;
  selection?: Selection<Job>;
}

const nothing = () => {};

export function JobList({ jobs, label, actions, waiting, selection }: JobListProps) {
  return (
    <ul className={classes.list} aria-label={label}>
      {jobs.map((job) => (
        <JobRow
          key={job.id}
          job={job}
          actions={actions}
          waiting={waiting}
          selected={selection?.ids.has(job.id)}
          onToggle={selection?.toggle ?? nothing}
        />
      ))}
    </ul>
  );
}
