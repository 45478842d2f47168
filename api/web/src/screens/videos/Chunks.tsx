import { type ComponentType, memo, type RefObject } from "react";
import type { Video } from "@/api/types";
import type { Selection } from "@/components/useSelection";
import type { VideoActions } from "../video/actions/useVideoActions";
import { useChunks } from "./useChunks";
import { useNear } from "./useNear";
import type { ItemProps } from "./VideoRow";

/** Of each video in a chunk that nobody has seen yet. */
const USUAL_HEIGHT = 75;

export interface VideosProps {
  items: readonly Video[];
  selection: Selection<Video>;
  actions: VideoActions;
}

interface ChunksProps extends VideosProps {
  /** How many videos are in a chunk. */
  size: number;
  /** What holds a chunk. */
  as: "tbody" | "ul";
  className?: string;
  /** What shows one video. */
  item: ComponentType<ItemProps>;
}

/** A long list in pieces, of which only those near the window are on the page. */
export function Chunks({ items, size, selection, ...rest }: ChunksProps) {
  const chunks = useChunks(items, size);
  return chunks.map((chunk, index) => (
    <Chunk
      // biome-ignore lint/suspicious/noArrayIndexKey: a chunk is a place in the list, whatever stands there
      key={index}
      videos={chunk}
      first={index < 2}
      selected={selection.ids}
      onSelect={selection.toggle}
      {...rest}
    />
  ));
}

interface ChunkProps extends Pick<ChunksProps, "as" | "className" | "item" | "actions"> {
  videos: readonly Video[];
  first: boolean;
  selected: ReadonlySet<string>;
  onSelect: ItemProps["onSelect"];
}

const Chunk = memo(function Chunk(props: ChunkProps) {
  const { as: Holder, item: Item, className, videos, first, selected, onSelect, actions } = props;
  const { ref, near, height } = useNear<HTMLElement>(first);
  return (
    <Holder
      className={className}
      ref={ref as RefObject<never>}
      style={near ? undefined : { height: height ?? videos.length * USUAL_HEIGHT }}
    >
      {near &&
        videos.map((video) => (
          <Item key={video.id} video={video} selected={selected.has(video.id)} onSelect={onSelect} actions={actions} />
        ))}
    </Holder>
  );
});
