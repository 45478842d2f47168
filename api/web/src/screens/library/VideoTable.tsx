import { SelectBox } from "@/components/SelectBox";
import { Chunks, type VideosProps } from "./Chunks";
import { VideoRow } from "./VideoRow";
import classes from "./VideoTable.module.css";

const ROWS_IN_A_CHUNK = 10;

export function VideoTable(props: VideosProps) {
  const { items, selection } = props;
  const selected = selection.chosen.length;
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
        <Chunks {...props} size={ROWS_IN_A_CHUNK} as="tbody" item={VideoRow} />
      </table>
    </div>
  );
}
