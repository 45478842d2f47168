import { Group, Text } from "@mantine/core";
import type { Attempt, Job } from "@/api/types";
import { ToneBadge } from "@/components/StatusBadge";
import { useNow } from "@/format/now";
import { formatTime } from "@/format/time";
import { videoTexts } from "@/texts/video";
import { explain, technicalLines } from "../failure";
import { TechnicalLines } from "../TechnicalLines";
import classes from "../VideoScreen.module.css";
import { attemptLength, outcomeWords } from "./attemptWords";

const labels = videoTexts.technical;

export function AttemptItem({ attempt, job }: { attempt: Attempt; job: Job }) {
  const now = useNow(5_000);
  const words = outcomeWords(attempt);
  const length = attemptLength(attempt, now);
  const failure = attempt.error ? explain(attempt.error_class, attempt.error) : null;
  return (
    <li className={classes.attempt} data-tone={words.tone}>
      <Group gap="xs">
        <ToneBadge {...words} />
        <Text span fw={600} className="any-break">
          {attempt.worker_name}
        </Text>
        <Text span size="sm" c="dimmed" className="numbers">
          {formatTime(attempt.started_at)},{" "}
          {attempt.ended_at ? videoTexts.history.took(length) : videoTexts.history.runningFor(length)}
        </Text>
      </Group>
      {failure && (
        <div className={classes.attemptError}>
          <Text size="sm" className="any-break">
            {failure.reason}
          </Text>
          <Text size="sm" c="dimmed">
            {failure.advice}
          </Text>
          <TechnicalLines
            text={technicalLines([
              [labels.job, job.number],
              [labels.attempt, attempt.number],
              [labels.fence, attempt.fence],
              [labels.worker, `${attempt.worker_name} (${attempt.worker_id})`],
              [labels.started, attempt.started_at],
              [labels.ended, attempt.ended_at],
              [labels.errorClass, attempt.error_class],
              [labels.error, attempt.error],
            ])}
          />
        </div>
      )}
    </li>
  );
}
