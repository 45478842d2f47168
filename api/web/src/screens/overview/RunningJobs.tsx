import { Text } from "@mantine/core";
import type { Job } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EtaText } from "@/components/EtaText";
import { TextLink } from "@/components/links";
import { PoliteProgress } from "@/components/PoliteProgress";
import { count, formatNumber, formatPercent } from "@/format/count";
import { stepWords } from "@/format/words";
import classes from "./JobRow.module.css";
import { Section } from "./Section";

export function RunningJobs({ jobs, total }: { jobs: readonly Job[]; total: number }) {
  const more = total > jobs.length && (
    <TextLink to="/queue" search={{ tab: "active" }} size="sm">
      All {formatNumber(total)}
    </TextLink>
  );
  return (
    <Section title="Running now" aside={more}>
      <PoliteProgress text={spoken(jobs)} />
      {jobs.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing is running.
        </Text>
      )}
      <ul className={classes.list}>
        {jobs.map((job) => (
          <li key={job.id} className={classes.row}>
            <RunningJob job={job} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function RunningJob({ job }: { job: Job }) {
  const { video_title, worker_name, current_step, progress_percent, eta } = job;
  const what = current_step ? stepWords[current_step] : "Starting";
  return (
    <>
      <div className={classes.line}>
        <TextLink
          to="/library/$id"
          params={{ id: job.video_id }}
          className={`one-line ${classes.title}`}
          title={video_title}
        >
          {video_title}
        </TextLink>
        <Text size="sm" className="numbers">
          {formatPercent(progress_percent)}, time left: <EtaText eta={eta} />
        </Text>
      </div>
      <Bar percent={progress_percent} label={`Progress of ${video_title}`} height={8} />
      <Text size="xs" c="dimmed" mt={4}>
        {worker_name ? `${what} on ${worker_name}` : what}
      </Text>
    </>
  );
}

function spoken(jobs: readonly Job[]): string {
  const [first] = jobs;
  if (!first) return "Nothing is running.";
  if (jobs.length > 1) return `${count(jobs.length, "job")} running.`;
  return `${first.video_title}: ${formatPercent(first.progress_percent)}.`;
}
