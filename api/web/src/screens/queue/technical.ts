/** What a person pastes into a report or a search: everything known of a failure, as plain lines. */
import type { Attempt, Job } from "@/api/types";

export function technicalLines(job: Job, attempts: readonly Attempt[] = []): string {
  const lines = [
    `job ${job.number} (${job.id})`,
    `video ${job.video_id}`,
    `status ${job.status}${job.error_class ? `, class ${job.error_class}` : ""}`,
    `failures ${job.failure_count} of ${job.max_attempts}, lost ${job.lost_count} of ${job.max_lost}`,
    ...(job.error ? [`error ${job.error}`] : []),
    ...(job.error_hint ? [`meaning ${job.error_hint}`] : []),
    ...attempts.map(attemptLine),
  ];
  return lines.join("\n");
}

function attemptLine({ number, worker_name, started_at, ended_at, outcome, error_class, error }: Attempt): string {
  const said = [outcome ?? "running", error_class, error].filter(Boolean).join(": ");
  return `attempt ${number} on ${worker_name}, ${started_at} to ${ended_at ?? "now"}: ${said}`;
}
