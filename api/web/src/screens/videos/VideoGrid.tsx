import { Chunks, type VideosProps } from "./Chunks";
import { VideoCard } from "./VideoCard";
import classes from "./VideoGrid.module.css";

/** Whole rows with one, two, three, four or six columns. */
const CARDS_IN_A_CHUNK = 12;

export function VideoGrid(props: VideosProps) {
  return (
    <div className={classes.frame}>
      <Chunks {...props} size={CARDS_IN_A_CHUNK} as="ul" className={classes.grid} item={VideoCard} />
    </div>
  );
}
