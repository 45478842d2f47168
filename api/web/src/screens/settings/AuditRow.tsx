import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { FarmEvent } from "@/api/types";
import { formatTime } from "@/format/time";
import { settingsTexts } from "@/texts/settings";
import { type About, aboutOf } from "./auditAbout";
import { reasonWords, whatWords, whoWords } from "./auditWords";
import classes from "./Settings.module.css";

interface AuditRowProps {
  event: FarmEvent;
  workerName: string | undefined;
}

/** Never changes once it happened: thousands of them stay as they are. */
export const AuditRow = memo(function AuditRow({ event, workerName }: AuditRowProps) {
  const who = whoWords(event, workerName);
  const reason = reasonWords(event);
  // What a worker does by itself has its name as who did it.
  const isOfWorker = /^(worker|gpu)_/.test(event.kind) && workerName && event.actor_kind !== "worker";
  const about = aboutOf(event);
  return (
    <li className={classes.event}>
      <time dateTime={event.at} className={classes.when}>
        {formatTime(event.at)}
      </time>
      <span className={classes.what}>
        {whatWords(event)}
        {isOfWorker && <span className={classes.note}> {workerName}</span>}
        {reason && <span className={classes.note}> {reason}</span>}
      </span>
      <span className={classes.who}>{who}</span>
      {about && <AboutLink about={about} what={whatWords(event)} />}
    </li>
  );
});

function AboutLink({ about: { videoId, page, label }, what }: { about: About; what: string }) {
  const text = (
    <>
      {label}
      <span className="visually-hidden">{settingsTexts.audit.linkOf(what)}</span>
    </>
  );
  if (videoId !== undefined) {
    return (
      <Link to="/library/$id" params={{ id: videoId }} className={classes.link}>
        {text}
      </Link>
    );
  }
  return (
    <Link to={page} className={classes.link}>
      {text}
    </Link>
  );
}
