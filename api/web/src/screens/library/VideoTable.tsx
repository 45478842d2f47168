import { memo } from "react";
import type { Video } from "@/api/types";
import type { VideoActions } from "../video/actions/useVideoActions";
import { SelectBox } from "./SelectBox";
import { useChunks } from "./useChunks";
import { useNear } from "./useNear";
import type { Selection } from "./useSelection";
import { VideoRow } from "./VideoRow";
import classes from "./VideoTable.module.css";

const ROWS_IN_A_CHUNK = 10;
/** Of a row that nobody has seen yet. */
const USUAL_HEIGHT = 75;

interface VideoTableProps {
  items: readonly Video[];
  selection: Selection;
  actions: VideoActions;
}

export function VideoTable({ items, selection, actions }: VideoTableProps) {
  const chunks = useChunks(items, ROWS_IN_A_CHUNK);
  const selected = selection.videos.length;
  return (
    <div className={classes.frame}>
      <table className={classes.table} aria-label="Videos">
        <thead>
          <tr className={classes.head}>
            <td className={classes.check}>
              <SelectBox
                label="Select all that are loaded"
                checked={selected === items.length}
                some={selected > 0}
                onChange={selection.all}
              />
            </td>
            <th scope="col" className={classes.video}>
              Video
            </th>
            <th scope="col" className={classes.state}>
              Status
            </th>
            <th scope="col" className={classes.length}>
              Length
            </th>
            <th scope="col" className={classes.size}>
              Size
            </th>
            <th scope="col" className={classes.added}>
              Added
            </th>
            <td className={classes.menu} />
          </tr>
        </thead>
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
      </table>
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
  const { ref, near, height } = useNear<HTMLTableSectionElement>(first);
  return (
    <tbody ref={ref} style={near ? undefined : { height: height ?? videos.length * USUAL_HEIGHT }}>
      {near &&
        videos.map((video) => (
          <VideoRow
            key={video.id}
            video={video}
            selected={selected.has(video.id)}
            onSelect={onSelect}
            actions={actions}
          />
        ))}
    </tbody>
  );
});
