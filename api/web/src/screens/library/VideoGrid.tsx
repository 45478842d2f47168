import { memo } from "react";
import type { Video } from "@/api/types";
import type { VideoActions } from "../video/actions/useVideoActions";
import { useChunks } from "./useChunks";
import { useNear } from "./useNear";
import type { Selection } from "./useSelection";
import { VideoCard } from "./VideoCard";
import classes from "./VideoGrid.module.css";

/** Whole rows with one, two, three, four or six columns. */
const CARDS_IN_A_CHUNK = 12;
const USUAL_HEIGHT = 900;

interface VideoGridProps {
  items: readonly Video[];
  selection: Selection;
  actions: VideoActions;
}

export function VideoGrid({ items, selection, actions }: VideoGridProps) {
  const chunks = useChunks(items, CARDS_IN_A_CHUNK);
  return (
    <div className={classes.frame}>
      {chunks.map((chunk, index) => (
        <Chunk
          // biome-ignore lint/suspicious/noArrayIndexKey: a chunk is a place in the list, whatever stands there
          key={index}
          videos={chunk}
          first={index < 2}
          selected={selection.ids}
          onSelect={selection.toggle}
          actions={actions}
        />
      ))}
    </div>
  );
}

interface ChunkProps {
  videos: readonly Video[];
  first: boolean;
  selected: ReadonlySet<string>;
  onSelect: Selection["toggle"];
  actions: VideoActions;
}

const Chunk = memo(function Chunk({ videos, first, selected, onSelect, actions }: ChunkProps) {
  const { ref, near, height } = useNear<HTMLUListElement>(first);
  return (
    <ul className={classes.grid} ref={ref} style={near ? undefined : { height: height ?? USUAL_HEIGHT }}>
      {near &&
        videos.map((video) => (
          <VideoCard
            key={video.id}
            video={video}
            selected={selected.has(video.id)}
            onSelect={onSelect}
            actions={actions}
          />
        ))}
    </ul>
  );
});
