import type { Job } from "@/api/types";
import { SelectBox } from "@/components/SelectBox";
import type { Selection } from "@/components/useSelection";
import { queueTexts } from "@/texts/queue";
import { type BulkAction, BulkActions } from "./BulkActions";
import classes from "./SelectionBar.module.css";
import { useBulk } from "./useBulk";

const texts = queueTexts.selection;

interface SelectionBarProps {
  selection: Selection<Job>;
  listed: number;
  can: readonly BulkAction[];
}

/** Above a list: chooses every row in it, and says what can be done to those that are chosen. It stays in view. */
export function SelectionBar({ selection, listed, can }: SelectionBarProps) {
  const bulk = useBulk(selection);
  const chosen = selection.chosen.length;
  return (
    <div className={classes.bar}>
      <SelectBox
        label={texts.selectAll(listed)}
        checked={chosen === listed}
        some={chosen > 0}
        onChange={selection.all}
      />
      <span role="status" className={classes.text}>
        {statusText(chosen, listed, bulk.done)}
      </span>
      {chosen > 0 && <BulkActions selection={selection} can={can} bulk={bulk} />}
    </div>
  );
}

function statusText(chosen: number, listed: number, done: number | null): string {
  if (done !== null) return texts.progress(done, chosen);
  return chosen > 0 ? texts.selected(chosen) : texts.jobs(listed);
}
