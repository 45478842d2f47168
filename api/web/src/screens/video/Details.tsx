import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { SourceInfo, Video } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { formatBytes } from "@/format/bytes";
import { formatNumber } from "@/format/count";
import { formatClock } from "@/format/duration";
import { qualityLabel } from "@/format/quality";
import { formatTime } from "@/format/time";
import { videoTexts } from "@/texts/video";
import type { VideoActions } from "./actions/useVideoActions";
import { Section } from "./Section";
import classes from "./VideoScreen.module.css";
import { frameRate, isAudioOnly, resolution, trackList } from "./words";

const texts = videoTexts.details;

interface Props {
  video: Video;
  /** Null until a worker has looked at the file. */
  source: SourceInfo | null | undefined;
  actions: VideoActions;
}

export function Details({ video, source, actions }: Props) {
  return (
    <Section title={texts.title}>
      <dl className={classes.facts}>
        <Detail label={texts.file}>{video.source_name}</Detail>
        <Detail label={texts.size}>
          <span title={texts.bytes(formatNumber(video.source_size))}>{formatBytes(video.source_size)}</span>
        </Detail>
        <Detail label={texts.duration}>
          {video.duration_seconds == null ? null : formatClock(video.duration_seconds)}
        </Detail>
        <Detail label={texts.resolution}>{isAudioOnly(video) ? texts.audioOnly : resolution(video)}</Detail>
        <Detail label={texts.frameRate}>{source?.video && frameRate(source.video.frame_rate)}</Detail>
        <Detail label={texts.audio}>{trackList(source?.audio)}</Detail>
        <Detail label={texts.subtitles}>{trackList(source?.subtitles)}</Detail>
        <Detail label={texts.collection}>
          {video.collection ?? texts.noCollection}
          <Button variant="subtle" size="compact-xs" ms={6} onClick={() => actions.changeCollection(video)}>
            {texts.changeCollection}
          </Button>
        </Detail>
        <Detail label={texts.requestedQualities}>{video.wanted_qualities?.map(qualityLabel).join(", ")}</Detail>
        <Detail label={texts.added}>{formatTime(video.created_at)}</Detail>
        <Detail label={texts.ready}>{video.ready_at && formatTime(video.ready_at)}</Detail>
        <Detail label={texts.version}>{video.generation > 0 ? video.generation : null}</Detail>
        <Detail label={texts.original}>
          {video.source_deleted_at && texts.originalRemoved(formatTime(video.source_deleted_at))}
        </Detail>
        <Detail label={texts.sha256}>
          <CopyLine text={video.source_sha256} label={texts.sha256} />
        </Detail>
      </dl>
    </Section>
  );
}

/** A line of what is known; what is not known has none. */
function Detail({ label, children }: { label: string; children: ReactNode }) {
  if (children == null || children === "") return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd className="any-break">{children}</dd>
    </div>
  );
}
