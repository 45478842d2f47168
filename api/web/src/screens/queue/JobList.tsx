import { Button } from "@mantine/core";
import { SearchX } from "lucide-react";
import type { Job } from "@/api/types";
import { EmptyState } from "@/components/EmptyState";
import { useGrowing } from "@/components/useGrowing";
import type { Selection } from "@/components/useSelection";
import { queueTexts as texts } from "@/texts/queue";
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

/** More than a screen of rows. */
const STEP = 20;

const nothing = () => {};

export function JobList({ jobs, label, actions, waiting, selection }: JobListProps) {
  const shown = useGrowing(jobs.length, STEP);
  return (
    <ul className={classes.list} aria-label={label}>
      {jobs.slice(0, shown).map((job) => (
        <JobRow
          key={job.id}
          job={job}
          actions={actions}
          waiting={waiting}
          selected={selection?.ids.has(job.id)}
          onToggle={selection?.toggle ?? nothing}
        />
      ))}
      {jobs.slice(shown).map(({ id }) => (
        <li key={id} className={classes.row} aria-hidden />
      ))}
    </ul>
  );
}

/** In place of a list whose filter nothing matches. */
export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title={texts.empty.noMatch}
      action={
        <Button variant="default" onClick={onClear}>
          {texts.filters.clear}
        </Button>
      }
    >
      {texts.empty.noMatchText}
    </EmptyState>
  );
}
