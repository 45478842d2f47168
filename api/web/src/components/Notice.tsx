import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Tone } from "@/format/words";
import classes from "./Notice.module.css";

const icons: Partial<Record<Tone, typeof Info>> = {
  good: CircleCheck,
  warning: TriangleAlert,
  bad: CircleAlert,
};

interface NoticeProps {
  title: string;
  tone: Tone;
  children?: ReactNode;
  /** A button or a link that does something about it. */
  action?: ReactNode;
}

/** A state of affairs that people should know of, above what it concerns. */
export function Notice({ title, tone, children, action }: NoticeProps) {
  const Icon = icons[tone] ?? Info;
  return (
    <div className={`${classes.notice} ${classes[tone]}`}>
      <Icon size={18} aria-hidden className={classes.icon} />
      <div className={classes.words}>
        <div className={classes.title}>{title}</div>
        {children && <div>{children}</div>}
      </div>
      {action}
    </div>
  );
}
