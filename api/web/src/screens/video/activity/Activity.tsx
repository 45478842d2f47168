import { Button, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { Pause, Play } from "lucide-react";
import { useMemo, useState } from "react";
import { jobQuery } from "@/api/queries";
import type { Job, JobDetail } from "@/api/types";
import { RowsSkeleton } from "@/components/Skeletons";
import { TimeAgo } from "@/components/TimeAgo";
import { formatTime } from "@/format/time";
import { videoTexts } from "@/texts/video";
import { Section } from "../Section";
import classes from "../VideoScreen.module.css";
import { type ActivityLine, activityLines } from "./activityLines";

const texts = videoTexts.activity;
/** The newest jobs have the whole story of most videos. */
const JOBS = 2;
const STEP = 60;

/** What happened to the video, newest first. It is updated until somebody pauses it. */
export function Activity({ jobs }: { jobs: readonly Job[] }) {
  const details = useQueries({ queries: jobs.slice(0, JOBS).map((job) => jobQuery(job.id)) });
  const [frozen, setFrozen] = useState<ActivityLine[] | null>(null);
  const [most, setMost] = useState(STEP);
  const [newest, before] = details.map(({ data }) => data);
  const live = useLines(newest, before);
  if (jobs.length === 0) return null;

  const lines = frozen ?? live;
  const missed = frozen ? live.filter(({ id }) => id > (frozen[0]?.id ?? 0)).length : 0;
  const resume = missed > 0 ? texts.resumeWithNew(missed) : texts.resume;
  return (
    <Section
      title={texts.title}
      actions={
        <Button
          variant="default"
          size="compact-sm"
          leftSection={frozen ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
          onClick={() => setFrozen(frozen ? null : live)}
        >
          {frozen ? resume : texts.pause}
        </Button>
      }
    >
      {details.some(({ isPending }) => isPending) && <RowsSkeleton rows={3} height={28} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className={classes.scroll} tabIndex={0}>
        <ol className={classes.events}>
          {lines.slice(0, most).map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </ol>
        {lines.length > most && (
          <Button variant="subtle" size="xs" onClick={() => setMost(most + STEP)}>
            {texts.showOlder}
          </Button>
        )}
      </div>
    </Section>
  );
}

/** Progress changes the job many times a minute, its timeline and attempts seldom. */
function useLines(newest: JobDetail | undefined, before: JobDetail | undefined): ActivityLine[] {
  const [timeline, older] = [newest?.timeline, before?.timeline];
  const [attempts, olderAttempts] = [newest?.attempts, before?.attempts];
  return useMemo(() => {
    const known = [...(olderAttempts ?? []), ...(attempts ?? [])];
    const workers = new Map(known.map(({ worker_id, worker_name }) => [worker_id, worker_name]));
    return activityLines([...(older ?? []), ...(timeline ?? [])], workers);
  }, [timeline, older, attempts, olderAttempts]);
}

function Line({ line }: { line: ActivityLine }) {
  return (
    <li className={classes.event} data-tone={line.tone}>
      <div>
        <Text size="sm" className="any-break">
          {line.text}
        </Text>
        {line.detail && (
          <Text size="sm" c="dimmed" className="any-break">
            {line.detail}
          </Text>
        )}
      </div>
      <Text size="xs" c="dimmed" className={classes.when} title={formatTime(line.at)}>
        <TimeAgo time={line.at} />
      </Text>
    </li>
  );
}
