import type { Video, Work } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EtaText } from "@/components/EtaText";
import { QualityBars, toQualityBars } from "@/components/QualityBars";
import { ToneBadge } from "@/components/StatusBadge";
import { WaitingText } from "@/components/WaitingText";
import { formatPercent } from "@/format/count";
import { placeInQueue } from "@/format/place";
import { videosTexts } from "@/texts/videos";
import { errorSentence, statusWords, stepText } from "../video/words";
import classes from "./VideoState.module.css";

/** How a video is: its status, and while something is done to it how far that is, or why it waits. */
export function VideoState({ video }: { video: Video }) {
  const { work } = video;
  return (
    <div className={classes.state}>
      <div className={classes.line}>
        <ToneBadge {...statusWords(video)} />
        {work?.status === "running" && <strong className="numbers">{formatPercent(work.percent)}</strong>}
      </div>
      {work?.status === "running" && <Running work={work} again={video.generation > 0} />}
      {work?.status === "pending" && <Waits work={work} again={video.generation > 0} />}
      {!work && video.status === "failed" && !video.cancelled && (
        <div className={classes.error} title={video.error ?? undefined}>
          {errorSentence(video)}
        </div>
      )}
    </div>
  );
}

interface WorkProps {
  work: Work;
  /** It plays already; a new version is being made. */
  again: boolean;
}

function Running({ work, again }: WorkProps) {
  return (
    <>
      {work.qualities.length > 0 ? (
        <QualityBars qualities={toQualityBars(work.qualities)} />
      ) : (
        <Bar percent={work.percent} label={videosTexts.progress} height={5} />
      )}
      <div className={classes.note}>
        {work.worker_name ? videosTexts.stepOnWorker(stepText(work, again), work.worker_name) : stepText(work, again)}
        {work.eta && (
          <>
            , <EtaText eta={work.eta} text={videosTexts.timeLeft} />
          </>
        )}
      </div>
    </>
  );
}

function Waits({ work, again }: WorkProps) {
  return (
    <div className={classes.note}>
      {again && `${videosTexts.waitingAgain} `}
      {work.position != null && `${placeInQueue(work.position)}. `}
      <WaitingText waiting={work.waiting} />
      {work.eta && (
        <>
          {" "}
          <EtaText eta={work.eta} text={videosTexts.readyIn} />
        </>
      )}
    </div>
  );
}
