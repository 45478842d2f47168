import type { Job } from "@/api/types";
import { SelectBox } from "@/components/SelectBox";
import type { Selection } from "@/components/useSelection";
import { count, formatNumber } from "@/format/count";
import { type BulkAction, BulkActions } from "./BulkActions";
import classes from "./SelectionBar.module.css";
import { useBulk } from "./useBulk";

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
        label={`Select all ${count(listed, "listed job")}`}
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
  if (done !== null) return `${formatNumber(done)} of ${formatNumber(chosen)} done`;
  return chosen > 0 ? `${formatNumber(chosen)} selected` : count(listed, "job");
}
