import { Group, Text } from "@mantine/core";
import type { Attempt, Job } from "@/api/types";
import { ToneBadge } from "@/components/StatusBadge";
import { useNow } from "@/format/now";
import { formatTime } from "@/format/time";
import { explain, technicalLines } from "../failure";
import { TechnicalLines } from "../TechnicalLines";
import classes from "../VideoScreen.module.css";
import { attemptLength, outcomeWords } from "./attemptWords";

export function AttemptItem({ attempt, job }: { attempt: Attempt; job: Job }) {
  const now = useNow(5_000);
  const words = outcomeWords(attempt);
  const failure = attempt.error ? explain(attempt.error_class, attempt.error) : null;
  return (
    <li className={classes.attempt} data-tone={words.tone}>
      <Group gap="xs">
        <ToneBadge {...words} />
        <Text span fw={600} className="any-break">
          {attempt.worker_name}
        </Text>
        <Text span size="sm" c="dimmed" className="numbers">
          {formatTime(attempt.started_at)}, {attempt.ended_at ? "took" : "for"} {attemptLength(attempt, now)}
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
              ["Job", job.number],
              ["Attempt", attempt.number],
              ["Fence", attempt.fence],
              ["Worker", `${attempt.worker_name} (${attempt.worker_id})`],
              ["Started", attempt.started_at],
              ["Ended", attempt.ended_at],
              ["Class", attempt.error_class],
              ["Error", attempt.error],
            ])}
          />
        </div>
      )}
    </li>
  );
}
