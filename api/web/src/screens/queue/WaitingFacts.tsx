import { ArrowDown, ArrowUp } from "lucide-react";
import type { Job } from "@/api/types";
import { EtaText } from "@/components/EtaText";
import { ToneBadge } from "@/components/StatusBadge";
import { WaitingText } from "@/components/WaitingText";
import { formatNumber } from "@/format/count";
import { useNow } from "@/format/now";
import { queueTexts as texts } from "@/texts/queue";
import classes from "./JobList.module.css";
import { priorityTag } from "./priority";
import { startText } from "./times";

export function WaitingFacts({ job, waiting }: { job: Job; waiting?: number }) {
  return (
    <>
      <div className={classes.facts}>
        <div className={classes.line}>
          <Place position={job.position ?? null} of={waiting} />
          {job.state === "retrying" && (
            <ToneBadge label={texts.job.nextAttempt(job.attempt_number + 1)} tone="warning" />
          )}
          {job.priority !== 0 && <PriorityTag priority={job.priority} />}
        </div>
        <WaitingText waiting={job.waiting} />
      </div>
      <div className={classes.side}>
        {job.eta ? (
          <>
            <span>
              {texts.job.doneIn} <EtaText eta={job.eta} />
            </span>
            <Start job={job} />
          </>
        ) : (
          <span className={classes.note}>{texts.job.noEstimate}</span>
        )}
      </div>
    </>
  );
}

function Place({ position, of }: { position: number | null; of?: number }) {
  if (position == null) return <span>{texts.job.waiting}</span>;
  const total = of === undefined || of < position ? "" : texts.job.ofTotal(of);
  return (
    <span className="numbers">
      <span className="visually-hidden">{texts.job.position} </span>
      {formatNumber(position)}
      {total}
    </span>
  );
}

function Start({ job }: { job: Job }) {
  const text = startText(job.eta, useNow(5_000));
  return text && <div className={classes.note}>{text}</div>;
}

function PriorityTag({ priority }: { priority: number }) {
  const Icon = priority > 0 ? ArrowUp : ArrowDown;
  return (
    <span className={classes.priority} data-raised={priority > 0 || undefined}>
      <Icon size={13} aria-hidden />
      {priorityTag(priority)}
    </span>
  );
}
