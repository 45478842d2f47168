import { Group, NativeSelect, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { stuckQuery } from "@/api/queries";
import type { StuckJob, StuckReason } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { ToneBadge } from "@/components/StatusBadge";
import { useKeepFocus } from "@/components/useKeepFocus";
import { formatSpan } from "@/format/duration";
import { asSentence } from "@/format/sentence";
import type { Words } from "@/format/words";
import { STUCK_AFTER } from "@/search";
import { queueTexts as texts } from "@/texts/queue";
import classes from "./JobList.module.css";
import { JobMenu } from "./JobMenu";
import { type JobActions, useJobActions } from "./useJobActions";

const reasons: Record<StuckReason, Words> = {
  worker_gone: { label: texts.stuck.reasons.worker_gone, tone: "bad" },
  lease_expired: { label: texts.stuck.reasons.lease_expired, tone: "warning" },
  no_progress: { label: texts.stuck.reasons.no_progress, tone: "warning" },
  slow: { label: texts.stuck.reasons.slow, tone: "neutral" },
};

interface StuckJobsProps {
  older: number;
  onOlder: (seconds: number) => void;
}

/** What runs for long, the longest first, and what is known about why. */
export function StuckJobs({ older, onOlder }: StuckJobsProps) {
  const stuck = useQuery({ ...stuckQuery(older), placeholderData: keepPreviousData });
  const actions = useJobActions();
  const jobs = stuck.data?.items ?? [];
  const holder = useKeepFocus<HTMLUListElement>(jobs);
  if (stuck.isPending) return <RowsSkeleton />;
  if (!stuck.data) {
    return <ErrorState error={stuck.error} title={texts.lists.loadError} retry={() => stuck.refetch()} />;
  }
  return (
    <>
      <Group gap="sm" mb="xs" align="center">
        <NativeSelect
          aria-label={texts.stuck.atLeast}
          value={older}
          onChange={({ currentTarget }) => onOlder(Number(currentTarget.value))}
          data={STUCK_AFTER.map((seconds) => ({
            value: String(seconds),
            label: texts.stuck.longerThan(formatSpan(seconds)),
          }))}
        />
        <Text size="sm" c="dimmed" role="status">
          {texts.stuck.jobs(jobs.length)}
        </Text>
      </Group>
      {jobs.length === 0 && (
        <EmptyState icon={CircleCheck} title={texts.empty.stuck(formatSpan(older))}>
          {texts.empty.stuckText}
        </EmptyState>
      )}
      <ul className={classes.list} ref={holder} aria-label={texts.stuck.list}>
        {jobs.map((stuck) => (
          <StuckRow key={stuck.job.id} stuck={stuck} actions={actions} />
        ))}
      </ul>
    </>
  );
}

function StuckRow({ stuck, actions }: { stuck: StuckJob; actions: JobActions }) {
  const { job, why, why_text, running_seconds } = stuck;
  return (
    <li className={classes.row} data-row={job.id}>
      <div className={classes.name}>
        <Link to="/library/$id" params={{ id: job.video_id }} className={classes.title} title={job.video_title}>
          {job.video_title}
        </Link>
        <div className={classes.note}>
          {[texts.job.number(job.number), job.worker_name].filter(Boolean).join(" · ")}
        </div>
      </div>
      <div className={classes.facts}>
        <Bar percent={job.progress_percent} label={texts.job.progressOf(job.video_title)} height={8} />
        <div className={classes.line}>
          <ToneBadge {...reasons[why]} />
        </div>
        <div className={classes.note}>{asSentence(why_text)}</div>
      </div>
      <div className={classes.side}>{texts.stuck.runningFor(formatSpan(running_seconds))}</div>
      <div className={classes.menu}>
        <JobMenu job={job} actions={actions} />
      </div>
    </li>
  );
}
