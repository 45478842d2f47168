import { RotateCw } from "lucide-react";
import type { Job } from "@/api/types";
import { StatusBadge, ToneBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";
import { formatSpan } from "@/format/duration";
import { errorClassWords } from "@/format/errors";
import { asSentence, firstLine } from "@/format/sentence";
import { explain } from "@/screens/video/failure";
import { queueTexts as texts } from "@/texts/queue";
import classes from "./JobList.module.css";
import { Technical } from "./Technical";
import { tookSeconds } from "./times";
import type { JobActions } from "./useJobActions";

export function FailedFacts({ job, actions }: { job: Job; actions: JobActions }) {
  const { error_class, error_hint, error, failure_count, lost_count } = job;
  const tries = failure_count + lost_count;
  return (
    <>
      <div className={classes.facts}>
        <div className={classes.line}>
          <ToneBadge label={error_class ? errorClassWords[error_class] : texts.job.failed} tone="bad" />
          {tries > 0 && <span className={classes.note}>{texts.job.afterAttempts(tries)}</span>}
        </div>
        <div className={classes.clamp}>{asSentence(firstLine(error ?? "")) || error_hint || texts.job.noError}</div>
        <div className={classes.note}>{explain(error_class, error).advice}</div>
        <Technical job={job} />
      </div>
      <Ended job={job} actions={actions} />
    </>
  );
}

export function DoneFacts({ job }: { job: Job }) {
  const took = tookSeconds(job);
  return (
    <>
      <div className={classes.facts}>
        <div className={classes.line}>
          <StatusBadge job="completed" />
          {took !== null && <span className={classes.note}>{texts.job.took(formatSpan(took))}</span>}
        </div>
      </div>
      <Ended job={job} />
    </>
  );
}

export function CancelledFacts({ job, actions }: { job: Job; actions: JobActions }) {
  return (
    <>
      <div className={classes.facts}>
        <StatusBadge job="cancelled" />
      </div>
      <Ended job={job} actions={actions} />
    </>
  );
}

function Ended({ job, actions }: { job: Job; actions?: JobActions }) {
  return (
    <div className={classes.side}>
      {job.completed_at && <TimeAgo time={job.completed_at} />}
      {actions && (
        <button
          type="button"
          className={classes.retry}
          aria-label={texts.job.retryLabel(job.video_title, job.number)}
          onClick={() => actions.retry(job)}
        >
          <RotateCw size={14} aria-hidden /> {texts.job.retry}
        </button>
      )}
    </div>
  );
}
