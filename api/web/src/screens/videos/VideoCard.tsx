import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { SelectBox } from "@/components/SelectBox";
import { TimeAgo } from "@/components/TimeAgo";
import { formatBytes } from "@/format/bytes";
import { videosTexts } from "@/texts/videos";
import { Thumb } from "./Thumb";
import classes from "./VideoGrid.module.css";
import { VideoMenu } from "./VideoMenu";
import type { ItemProps } from "./VideoRow";
import { VideoState } from "./VideoState";

export const VideoCard = memo(function VideoCard({ video, selected, onSelect, actions }: ItemProps) {
  return (
    <li className={classes.card} data-row={video.id} data-selected={selected || undefined}>
      <Link to="/library/$id" params={{ id: video.id }} tabIndex={-1} aria-hidden className={classes.picture}>
        <Thumb video={video} />
      </Link>
      <div className={classes.check}>
        <SelectBox
          label={videosTexts.select(video.title)}
          checked={selected}
          onChange={(on, range) => onSelect(video.id, on, range)}
        />
      </div>
      <div className={classes.head}>
        <div className={classes.names}>
          <Link to="/library/$id" params={{ id: video.id }} className={classes.title} title={video.title}>
            {video.title}
          </Link>
          <div className={classes.sub}>
            {video.collection && `${video.collection}, `}
            {formatBytes(video.source_size)}, <TimeAgo time={video.created_at} />
          </div>
        </div>
        <VideoMenu video={video} actions={actions} />
      </div>
      <VideoState video={video} />
    </li>
  );
});
