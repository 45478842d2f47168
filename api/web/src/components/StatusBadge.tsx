import type { LucideIcon } from "lucide-react";
import type { JobState, QualityStatus, VideoStatus, WorkerStatus } from "@/api/types";
import { jobStateWords, qualityStatusWords, videoStatusWords, type Words, workerStatusWords } from "@/format/words";
import { isOnline } from "@/format/workers";
import { commonTexts } from "@/texts/common";
import classes from "./StatusBadge.module.css";
import { toneIcons } from "./toneIcons";

/** A state in colour, shape and word, so that none of the three is needed. */
export function ToneBadge({ label, tone, icon }: Words & { icon?: LucideIcon }) {
  const Icon = icon ?? toneIcons[tone];
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={13} aria-hidden />
      {label}
    </span>
  );
}

type Status =
  | { video: VideoStatus }
  | { job: JobState }
  | { worker: WorkerStatus; draining?: boolean }
  | { quality: QualityStatus };

export function StatusBadge(props: Status) {
  return <ToneBadge {...wordsFor(props)} />;
}

function wordsFor(status: Status): Words {
  if ("video" in status) return videoStatusWords[status.video];
  if ("job" in status) return jobStateWords[status.job];
  if ("quality" in status) return qualityStatusWords[status.quality];
  return status.draining && isOnline(status.worker)
    ? { label: commonTexts.workerStatus.draining, tone: "warning" }
    : workerStatusWords[status.worker];
}
