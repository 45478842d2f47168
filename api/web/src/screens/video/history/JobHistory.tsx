import { Anchor, Collapse, Group, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { jobQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { StatusBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";
import { queueTypeWords } from "@/format/words";
import { logUrl } from "../../queue/logUrl";
import classes from "../VideoScreen.module.css";
import { AttemptItem } from "./AttemptItem";

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
          Job {job.number}, {queueTypeWords[job.queue_type].toLowerCase()}
          {job.queue_type === "transcode" && `, version ${job.generation}`}
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

function Attempts({ job }: { job: Job }) {
  const detail = useQuery(jobQuery(job.id));
  if (detail.isPending) return <RowsSkeleton rows={1} height={36} />;
  if (!detail.data) return <ErrorState error={detail.error} retry={() => detail.refetch()} />;
  const { attempts } = detail.data;
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed" py="xs">
        No worker has taken it yet.
      </Text>
    );
  }
  return (
    <>
      <ol className={classes.attempts} aria-label={`Attempts of job ${job.number}`}>
        {attempts.toReversed().map((attempt) => (
          <AttemptItem key={attempt.fence} attempt={attempt} job={job} />
        ))}
      </ol>
      <Anchor size="sm" href={logUrl(job.id)} download>
        Download the log<span className="visually-hidden"> of job {job.number}</span>
      </Anchor>
    </>
  );
}
