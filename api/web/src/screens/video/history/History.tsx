import { Button } from "@mantine/core";
import { useState } from "react";
import type { Job } from "@/api/types";
import { videoTexts } from "@/texts/video";
import { Section } from "../Section";
import classes from "../VideoScreen.module.css";
import { JobHistory } from "./JobHistory";

const texts = videoTexts.history;
const FIRST_SHOWN = 5;

/** Who worked on the video, when, and how it went. */
export function History({ jobs }: { jobs: readonly Job[] }) {
  const [all, setAll] = useState(false);
  if (jobs.length === 0) return null;
  const shown = all ? jobs : jobs.slice(0, FIRST_SHOWN);
  return (
    <Section title={texts.title}>
      <ol className={classes.jobs} aria-label={texts.jobs}>
        {shown.map((job, index) => (
          <JobHistory key={job.id} job={job} newest={index === 0} />
        ))}
      </ol>
      {shown.length < jobs.length && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setAll(true)}>
          {texts.showOlder(jobs.length - shown.length)}
        </Button>
      )}
    </Section>
  );
}
