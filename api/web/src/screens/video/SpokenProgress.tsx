import { useRef } from "react";
import type { Video } from "@/api/types";
import { PoliteProgress } from "@/components/PoliteProgress";
import { useNow } from "@/format/now";
import { videoTexts } from "@/texts/video";
import { errorSentence, spokenProgress } from "./words";

const texts = videoTexts.progress;

/** Tells those who hear the page how the work goes, and at once how it ended. */
export function SpokenProgress({ video }: { video: Video }) {
  const now = useNow(15_000);
  const sawWork = useRef(false);
  if (video.work) sawWork.current = true;
  if (!sawWork.current) return null;
  const text = video.work ? spokenProgress(video.work, video.generation > 0, now) : ending(video);
  return <PoliteProgress text={text} news={video.work ? "" : text} />;
}

function ending(video: Video): string {
  if (video.cancelled) return texts.spokenCancelled;
  return video.status === "failed" ? texts.spokenFailed(errorSentence(video)) : texts.spokenReady;
}
