import type { Quality, QualityStatus, WorkQuality } from "@/api/types";
import { formatPercent } from "@/format/count";
import { qualityLabel, shortQualityLabel } from "@/format/quality";
import { qualityStatusWords } from "@/format/words";
import { commonTexts } from "@/texts/common";
import { Bar } from "./Bar";
import classes from "./QualityBars.module.css";

const texts = commonTexts.qualities;

export interface QualityBar {
  name: string;
  status: QualityStatus;
  percent: number;
  fps?: number | null;
  speed?: number | null;
  error?: string | null;
}

/** Of a list item's `work.qualities` or of a video's `qualities`. */
export function toQualityBars(qualities: readonly (WorkQuality | Quality)[]): QualityBar[] {
  return qualities.map((quality) =>
    "progress_percent" in quality ? { ...quality, percent: quality.progress_percent } : quality,
  );
}

interface QualityBarsProps {
  qualities: readonly QualityBar[];
  variant?: "compact" | "full";
}

/** How far each quality that is made is: a line of small bars, or a row for each with its speed. */
export function QualityBars({ qualities, variant = "compact" }: QualityBarsProps) {
  const shown = qualities.filter(({ status }) => status !== "skipped");
  if (shown.length === 0) return null;
  return (
    <ul className={classes[variant]} aria-label={texts.progressList}>
      {shown.map((quality) => (
        <li key={quality.name} className={classes.row}>
          {variant === "compact" ? <CompactRow {...quality} /> : <FullRow {...quality} />}
        </li>
      ))}
    </ul>
  );
}

function CompactRow(quality: QualityBar) {
  return (
    <>
      <div className={classes.name}>{shortQualityLabel(quality.name)}</div>
      <QualityBarOf {...quality} height={5} />
    </>
  );
}

function FullRow(quality: QualityBar) {
  return (
    <>
      <span className={classes.name}>{qualityLabel(quality.name)}</span>
      <QualityBarOf {...quality} height={8} />
      <span className={classes.value} aria-hidden>
        {formatPercent(shownPercent(quality))}
      </span>
      <span className={classes.note}>{note(quality)}</span>
    </>
  );
}

function QualityBarOf({ height, ...quality }: QualityBar & { height: number }) {
  const percent = shownPercent(quality);
  const { label, tone } = qualityStatusWords[quality.status];
  return (
    <Bar
      percent={percent}
      height={height}
      tone={tone}
      label={texts.progressBar(qualityLabel(quality.name))}
      text={
        quality.status === "in_progress" ? formatPercent(percent) : texts.progressValue(label, formatPercent(percent))
      }
    />
  );
}

function shownPercent({ status, percent }: QualityBar): number {
  return status === "completed" ? 100 : percent;
}

function note({ status, fps, speed, error }: QualityBar): string {
  if (error) return error;
  if (status !== "in_progress") return qualityStatusWords[status].label;
  const parts = [fps == null ? "" : `${Math.round(fps)} fps`, speed == null ? "" : `${speed.toFixed(1)}×`];
  return parts.filter(Boolean).join(", ");
}
