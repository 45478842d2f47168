import { Anchor, Collapse, Group, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { jobLogUrl } from "@/api/client";
import { jobQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { StatusBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";
import { queueTypeWords } from "@/format/words";
import { videoTexts } from "@/texts/video";
import classes from "../VideoScreen.module.css";
import { AttemptItem } from "./AttemptItem";

const texts = videoTexts.history;

/** A job and, when it is opened, its attempts; newest first. */
export function JobHistory({ job, newest }: { job: Job; newest: boolean }) {
  const [open, setOpen] = useState(newest);
  const id = useId();
  return (
    <li className={classes.job}>
      <Group gap="xs" justify="space-between">
        <UnstyledButton
          className={classes.disclosure}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={14} aria-hidden data-open={open || undefined} />
          {jobTitle(job)}
        </UnstyledButton>
        <Group gap="xs">
          <StatusBadge job={job.state} />
          <Text span size="sm" c="dimmed">
            <TimeAgo time={job.enqueued_at} />
          </Text>
        </Group>
      </Group>
      <Collapse id={id} expanded={open}>
        {open && <Attempts job={job} />}
      </Collapse>
    </li>
  );
}

function jobTitle({ number, queue_type, generation }: Job): string {
  const kind = queueTypeWords[queue_type].toLowerCase();
  return queue_type === "transcode" ? texts.jobWithVersion(number, kind, generation) : texts.job(number, kind);
}

function Attempts({ job }: { job: Job }) {
  const detail = useQuery(jobQuery(job.id));
  if (detail.isPending) return <RowsSkeleton rows={1} height={36} />;
  if (!detail.data) return <ErrorState error={detail.error} retry={() => detail.refetch()} />;
  const { attempts } = detail.data;
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed" py="xs">
        {texts.noAttempts}
      </Text>
    );
  }
  return (
    <>
      <ol className={classes.attempts} aria-label={texts.attemptsOf(job.number)}>
        {attempts.toReversed().map((attempt) => (
          <AttemptItem key={attempt.fence} attempt={attempt} job={job} />
        ))}
      </ol>
      <Anchor size="sm" href={jobLogUrl(job.id)} download aria-label={texts.downloadLogOf(job.number)}>
        {texts.downloadLog}
      </Anchor>
    </>
  );
}
