import { Button } from "@mantine/core";
import { useState } from "react";
import type { Job } from "@/api/types";
import { count } from "@/format/count";
import { Section } from "../Section";
import classes from "../VideoScreen.module.css";
import { JobHistory } from "./JobHistory";

const FIRST_SHOWN = 5;

/** Who worked on the video, when, and how it went. */
export function History({ jobs }: { jobs: readonly Job[] }) {
  const [all, setAll] = useState(false);
  if (jobs.length === 0) return null;
  const shown = all ? jobs : jobs.slice(0, FIRST_SHOWN);
  return (
    <Section title="Attempts">
      <ol className={classes.jobs} aria-label="Jobs">
        {shown.map((job, index) => (
          <JobHistory key={job.id} job={job} newest={index === 0} />
        ))}
      </ol>
      {shown.length < jobs.length && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setAll(true)}>
          Show {count(jobs.length - shown.length, "older job")}
        </Button>
      )}
    </Section>
  );
}
