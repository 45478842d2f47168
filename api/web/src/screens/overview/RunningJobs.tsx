import { Text } from "@mantine/core";
import type { Job } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EtaText } from "@/components/EtaText";
import { TextLink } from "@/components/links";
import { PoliteProgress } from "@/components/PoliteProgress";
import { formatPercent } from "@/format/count";
import { stepWords } from "@/format/words";
import { overviewTexts as texts } from "@/texts/overview";
import classes from "./JobRow.module.css";
import { Section } from "./Section";

export function RunningJobs({ jobs, total }: { jobs: readonly Job[]; total: number }) {
  const more = total > jobs.length && (
    <TextLink to="/queue" search={{ tab: "active" }} size="sm">
      {texts.running.all(total)}
    </TextLink>
  );
  return (
    <Section title={texts.running.title} aside={more}>
      <PoliteProgress text={spoken(jobs)} />
      {jobs.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.running.none}
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
  const what = current_step ? stepWords[current_step] : texts.running.starting;
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
          {texts.running.timeLeft(formatPercent(progress_percent))} <EtaText eta={eta} />
        </Text>
      </div>
      <Bar percent={progress_percent} label={texts.running.progressOf(video_title)} height={8} />
      <Text size="xs" c="dimmed" mt={4}>
        {worker_name ? texts.running.stepOn(what, worker_name) : what}
      </Text>
    </>
  );
}

function spoken(jobs: readonly Job[]): string {
  const [first] = jobs;
  if (!first) return texts.running.none;
  if (jobs.length > 1) return texts.running.spokenMany(jobs.length);
  return texts.running.spokenOne(first.video_title, formatPercent(first.progress_percent));
}
