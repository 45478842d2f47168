import type { Tone } from "@/format/words";
import classes from "./Bar.module.css";

interface BarProps {
  percent: number;
  /** What it measures, for those who do not see where it stands. */
  label: string;
  /** The value in words; the percentage if absent. */
  text?: string;
  tone?: Tone;
  height?: number;
}

export function Bar({ percent, label, text, tone = "active", height = 6 }: BarProps) {
  const inside = Math.min(100, Math.max(0, percent));
  return (
    <div
      className={classes.track}
      style={{ "--bar-height": `${height}px` } as React.CSSProperties}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(inside)}
      aria-valuetext={text}
    >
      <div className={classes.fill} data-tone={tone} style={{ translate: `${inside - 100}%` }} />
    </div>
  );
}
