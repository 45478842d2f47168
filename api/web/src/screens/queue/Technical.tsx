import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { jobQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { queueTexts as texts } from "@/texts/queue";
import classes from "./JobList.module.css";
import { technicalLines } from "./technical";

/** The lines for those who want to know exactly; the attempts are asked for when it is opened. */
export function Technical({ job }: { job: Job }) {
  const [opened, setOpened] = useState(false);
  return (
    <details className={classes.technical} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        {texts.technical.title}
        <span className="visually-hidden">{texts.technical.ofVideo(job.video_title)}</span>
      </summary>
      {opened && <Lines job={job} />}
    </details>
  );
}

function Lines({ job }: { job: Job }) {
  const { data } = useQuery(jobQuery(job.id));
  return <CopyLine text={technicalLines(job, data?.attempts)} label={texts.technical.copy} />;
}
