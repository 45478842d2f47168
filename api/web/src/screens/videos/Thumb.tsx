import { Film, Music } from "lucide-react";
import { useState } from "react";
import type { Video } from "@/api/types";
import { formatClock } from "@/format/duration";
import { isAudioOnly } from "../video/words";
import classes from "./Thumb.module.css";

/** The poster, or a neutral picture while there is none. Says nothing: the title stands beside it. */
export function Thumb({ video }: { video: Video }) {
  const { poster_url: poster, duration_seconds: duration } = video;
  const [broken, setBroken] = useState<string | null>(null);
  const Icon = isAudioOnly(video) ? Music : Film;
  return (
    <div className={classes.thumb} aria-hidden>
      {poster && broken !== poster ? (
        <img src={poster} alt="" loading="lazy" decoding="async" onError={() => setBroken(poster)} />
      ) : (
        <Icon className={classes.icon} strokeWidth={1.4} />
      )}
      {duration != null && <span className={classes.length}>{formatClock(duration)}</span>}
    </div>
  );
}
