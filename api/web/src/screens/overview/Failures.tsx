import { Text } from "@mantine/core";
import type { Job } from "@/api/types";
import { TextLink } from "@/components/links";
import { TimeAgo } from "@/components/TimeAgo";
import { asSentence, firstLine } from "@/format/sentence";
import { overviewTexts as texts } from "@/texts/overview";
import classes from "./JobRow.module.css";
import { Section } from "./Section";

export function Failures({ jobs, total }: { jobs: readonly Job[]; total: number }) {
  const all = total > 0 && (
    <TextLink to="/queue" search={{ tab: "failed" }} size="sm">
      {total > jobs.length ? texts.failures.all(total) : texts.failures.manage}
    </TextLink>
  );
  return (
    <Section title={texts.failures.title} aside={all}>
      {jobs.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.failures.none}
        </Text>
      )}
      <ul className={classes.list}>
        {jobs.map((job) => (
          <li key={job.id} className={classes.row}>
            <div className={classes.line}>
              <TextLink
                to="/library/$id"
                params={{ id: job.video_id }}
                className={`one-line ${classes.title}`}
                title={job.video_title}
              >
                {job.video_title}
              </TextLink>
              {job.completed_at && (
                <Text size="sm" c="dimmed">
                  <TimeAgo time={job.completed_at} />
                </Text>
              )}
            </div>
            <Text size="sm" className="any-break">
              {job.error ? asSentence(firstLine(job.error)) : texts.failures.noError}
            </Text>
            {job.error_hint && (
              <Text size="xs" c="dimmed">
                {job.error_hint}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
