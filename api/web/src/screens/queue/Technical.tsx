import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { jobQuery } from "@/api/queries";
import type { Attempt, Job } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { queueTexts } from "@/texts/queue";
import classes from "./JobList.module.css";

const texts = queueTexts.technical;

/** The lines for those who want to know exactly; the attempts are asked for when it is opened. */
export function Technical({ job }: { job: Job }) {
  const [opened, setOpened] = useState(false);
  return (
    <details className={classes.technical} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        {texts.title}
        <span className="visually-hidden">{texts.ofVideo(job.video_title)}</span>
      </summary>
      {opened && <Lines job={job} />}
    </details>
  );
}

function Lines({ job }: { job: Job }) {
  const { data } = useQuery(jobQuery(job.id));
  return <CopyLine text={technicalLines(job, data?.attempts)} label={texts.copy} />;
}

/** What a person pastes into a report or a search: everything known of a failure, as plain lines. */
export function technicalLines(job: Job, attempts: readonly Attempt[] = []): string {
  const lines = [
    texts.job(job.number, job.id),
    texts.video(job.video_id),
    job.error_class ? texts.statusAndClass(job.status, job.error_class) : texts.status(job.status),
    texts.failures(job.failure_count, job.max_attempts, job.lost_count, job.max_lost),
    ...(job.error ? [texts.error(job.error)] : []),
    ...(job.error_hint ? [texts.hint(job.error_hint)] : []),
    ...attempts.map(attemptLine),
  ];
  return lines.join("\n");
}

function attemptLine({ number, worker_name, started_at, ended_at, outcome, error_class, error }: Attempt): string {
  const result = [outcome ?? texts.running, error_class, error].filter(Boolean).join(": ");
  return texts.attempt(number, worker_name, started_at, ended_at ?? texts.now, result);
}
