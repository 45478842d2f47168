import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { Video } from "@/api/types";
import { SelectBox } from "@/components/SelectBox";
import { TimeAgo } from "@/components/TimeAgo";
import { formatBytes } from "@/format/bytes";
import { formatClock } from "@/format/duration";
import { videosTexts } from "@/texts/videos";
import type { VideoActions } from "../video/actions/useVideoActions";
import { Thumb } from "./Thumb";
import { VideoMenu } from "./VideoMenu";
import { VideoState } from "./VideoState";
import classes from "./VideoTable.module.css";

export interface ItemProps {
  video: Video;
  selected: boolean;
  onSelect: (id: string, on: boolean, range: boolean) => void;
  actions: VideoActions;
}

/** One video in the table. Everything it gets stays the same until its own video changes. */
export const VideoRow = memo(function VideoRow({ video, selected, onSelect, actions }: ItemProps) {
  return (
    <tr className={classes.row} data-row={video.id} data-selected={selected || undefined}>
      <td className={classes.check}>
        <SelectBox
          label={videosTexts.select(video.title)}
          checked={selected}
          onChange={(on, range) => onSelect(video.id, on, range)}
        />
      </td>
      <th scope="row" className={classes.video}>
        <Thumb video={video} />
        <div className={classes.names}>
          <Link to="/library/$id" params={{ id: video.id }} className={classes.title} title={video.title}>
            {video.title}
          </Link>
          {video.collection && <div className={classes.collection}>{video.collection}</div>}
          <div className={classes.short}>
            {formatBytes(video.source_size)}, <TimeAgo time={video.created_at} />
          </div>
        </div>
      </th>
      <td className={classes.state}>
        <VideoState video={video} />
      </td>
      <td className={classes.length}>{video.duration_seconds == null ? "" : formatClock(video.duration_seconds)}</td>
      <td className={classes.size}>{formatBytes(video.source_size)}</td>
      <td className={classes.added}>
        <TimeAgo time={video.created_at} />
      </td>
      <td className={classes.menu}>
        <VideoMenu video={video} actions={actions} />
      </td>
    </tr>
  );
});
