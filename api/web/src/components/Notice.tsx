import type { ReactNode } from "react";
import type { Tone } from "@/format/words";
import classes from "./Notice.module.css";
import { toneIcons } from "./toneIcons";

interface NoticeProps {
  tone: Tone;
  title?: string;
  icon?: ReactNode;
  children?: ReactNode;
  /** A button or a link that does something about it. */
  action?: ReactNode;
  role?: "alert" | "status";
}

/** A message that stays where it is, in colours that can be read. */
export function Notice({ tone, title, icon, children, action, role }: NoticeProps) {
  const Icon = toneIcons[tone];
  return (
    <div className={classes.notice} data-tone={tone} role={role}>
      <span className={classes.icon}>{icon ?? <Icon size={20} aria-hidden />}</span>
      <div className={classes.body}>
        {title && <strong>{title}</strong>}
        {children}
      </div>
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}
