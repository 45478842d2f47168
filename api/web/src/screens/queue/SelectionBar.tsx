import { useEffect, useRef } from "react";
import type { Job } from "@/api/types";
import { count, formatNumber } from "@/format/count";
import { type BulkAction, BulkActions } from "./BulkActions";
import classes from "./SelectionBar.module.css";
import type { Selection } from "./selection";
import { useBulk } from "./useBulk";

interface SelectionBarProps {
  selection: Selection<Job>;
  listed: number;
  can: readonly BulkAction[];
}

/** Above a list: chooses every row in it, and says what can be done to those that are chosen. It stays in view. */
export function SelectionBar({ selection, listed, can }: SelectionBarProps) {
  const box = useRef<HTMLInputElement>(null);
  const bulk = useBulk(selection);
  const some = selection.all === "some";
  const chosen = selection.chosen.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = some;
  }, [some]);
  return (
    <div className={classes.bar}>
      <label className={classes.check}>
        <input
          ref={box}
          type="checkbox"
          checked={selection.all === "all"}
          onChange={selection.toggleAll}
          aria-label={`Select all ${count(listed, "listed job")}`}
        />
      </label>
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
