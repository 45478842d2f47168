import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { SourceInfo, Video } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { formatBytes } from "@/format/bytes";
import { formatNumber } from "@/format/count";
import { formatClock } from "@/format/duration";
import { formatTime } from "@/format/time";
import type { VideoActions } from "./actions/useVideoActions";
import { Section } from "./Section";
import classes from "./VideoScreen.module.css";
import { frameRate, isAudioOnly, resolution, trackList } from "./words";

interface Props {
  video: Video;
  /** Null until a worker has looked at the file. */
  source: SourceInfo | null | undefined;
  actions: VideoActions;
}

export function Facts({ video, source, actions }: Props) {
  return (
    <Section title="Facts">
      <dl className={classes.facts}>
        <Fact label="File">{video.source_name}</Fact>
        <Fact label="Size">
          <span title={`${formatNumber(video.source_size)} bytes`}>{formatBytes(video.source_size)}</span>
        </Fact>
        <Fact label="Length">{video.duration_seconds == null ? null : formatClock(video.duration_seconds)}</Fact>
        <Fact label="Picture">{isAudioOnly(video) ? "None, sound only" : resolution(video)}</Fact>
        <Fact label="Frame rate">{source?.video && frameRate(source.video.frame_rate)}</Fact>
        <Fact label="Audio">{trackList(source?.audio)}</Fact>
        <Fact label="Subtitles">{trackList(source?.subtitles)}</Fact>
        <Fact label="Collection">
          {video.collection ?? "None"}
          <Button variant="subtle" size="compact-xs" ms={6} onClick={() => actions.changeCollection(video)}>
            Change
          </Button>
        </Fact>
        <Fact label="Asked for">{video.wanted_qualities?.join(", ")}</Fact>
        <Fact label="Added">{formatTime(video.created_at)}</Fact>
        <Fact label="Ready">{video.ready_at && formatTime(video.ready_at)}</Fact>
        <Fact label="Version">{video.generation > 0 ? video.generation : null}</Fact>
        <Fact label="Original">
          {video.source_deleted_at && `Removed on ${formatTime(video.source_deleted_at)}, by the rules of retention`}
        </Fact>
        <Fact label="SHA-256">
          <CopyLine text={video.source_sha256} label="the SHA-256" />
        </Fact>
      </dl>
    </Section>
  );
}

/** A line of what is known; what is not known has none. */
function Fact({ label, children }: { label: string; children: ReactNode }) {
  if (children == null || children === "") return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd className="any-break">{children}</dd>
    </div>
  );
}
