import { useEffect, useRef } from "react";
import type { Job } from "@/api/types";
import { count } from "@/format/count";
import classes from "./JobList.module.css";
import type { Selection } from "./selection";

/** The mark above a list that chooses every row in it. */
export function SelectAll({ selection, listed }: { selection: Selection<Job>; listed: number }) {
  const box = useRef<HTMLInputElement>(null);
  const some = selection.all === "some";
  useEffect(() => {
    if (box.current) box.current.indeterminate = some;
  }, [some]);
  return (
    <div className={classes.head}>
      <label className={classes.check}>
        <input
          ref={box}
          type="checkbox"
          checked={selection.all === "all"}
          onChange={selection.toggleAll}
          aria-label={`Select all ${count(listed, "listed job")}`}
        />
      </label>
      <span>{selection.chosen.length > 0 ? `${selection.chosen.length} selected` : count(listed, "job")}</span>
    </div>
  );
}
