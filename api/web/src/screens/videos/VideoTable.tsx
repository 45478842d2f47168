import { SelectBox } from "@/components/SelectBox";
import { videosTexts } from "@/texts/videos";
import { Chunks, type VideosProps } from "./Chunks";
import { VideoRow } from "./VideoRow";
import classes from "./VideoTable.module.css";

const texts = videosTexts.table;
const ROWS_IN_A_CHUNK = 10;

export function VideoTable(props: VideosProps) {
  const { items, selection } = props;
  const selected = selection.chosen.length;
  return (
    <div className={classes.frame}>
      <table className={classes.table} aria-label={texts.label}>
        <thead>
          <tr className={classes.head}>
            <td className={classes.check}>
              <SelectBox
                label={texts.selectAll}
                checked={selected === items.length}
                some={selected > 0}
                onChange={selection.all}
              />
            </td>
            <th scope="col" className={classes.video}>
              {texts.video}
            </th>
            <th scope="col" className={classes.state}>
              {texts.status}
            </th>
            <th scope="col" className={classes.length}>
              {texts.duration}
            </th>
            <th scope="col" className={classes.size}>
              {texts.size}
            </th>
            <th scope="col" className={classes.added}>
              {texts.added}
            </th>
            <td className={classes.menu} />
          </tr>
        </thead>
        <Chunks {...props} size={ROWS_IN_A_CHUNK} as="tbody" item={VideoRow} />
      </table>
    </div>
  );
}
