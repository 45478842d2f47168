import type { Job } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EtaText } from "@/components/EtaText";
import { StatusBadge } from "@/components/StatusBadge";
import { formatPercent } from "@/format/count";
import { stepWords } from "@/format/words";
import { queueTexts as texts } from "@/texts/queue";
import classes from "./JobList.module.css";

export function RunningFacts({ job }: { job: Job }) {
  const percent = formatPercent(job.progress_percent);
  return (
    <>
      <div className={classes.facts}>
        <Bar percent={job.progress_percent} label={texts.job.progressOf(job.video_title)} height={8} />
        <div className={classes.line}>
          <span className="numbers" aria-hidden>
            {percent}
          </span>
          <span className={classes.note}>{job.current_step ? stepWords[job.current_step] : texts.job.starting}</span>
          {job.state === "expired" && <StatusBadge job="expired" />}
          {job.attempt_number > 1 && <span className={classes.note}>{texts.job.attempt(job.attempt_number)}</span>}
        </div>
      </div>
      <div className={classes.side}>
        {job.eta ? (
          <span>
            <EtaText eta={job.eta} /> {texts.job.left}
          </span>
        ) : (
          <span className={classes.note}>{texts.job.noEstimate}</span>
        )}
      </div>
    </>
  );
}
