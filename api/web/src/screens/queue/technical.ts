/** What a person pastes into a report or a search: everything known of a failure, as plain lines. */
import type { Attempt, Job } from "@/api/types";
import { queueTexts } from "@/texts/queue";

const texts = queueTexts.technical;

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
