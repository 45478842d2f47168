import { type RefCallback, useCallback, useLayoutEffect, useRef } from "react";
import { focusHeading } from "./focusHeading";

const ROW = "[data-row]";
const CONTROLS = "a:not([tabindex='-1']), button, input";

interface Focused {
  row: HTMLElement;
  /** Which of the rows, and which control in it. */
  place: number;
  control: number;
}

/**
 * When the row that has the focus goes away, the row in its place gets it: who works with the keyboard would have to
 * start at the top of the page after each action. One that only moved gets it back. Returns the ref of what holds the
 * rows, each with `data-row`, which names it.
 */
export function useKeepFocus<T extends HTMLElement>(items: readonly unknown[]): RefCallback<T> {
  const holder = useRef<T>(null);
  const focused = useRef<Focused | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows go away when the items change
  useLayoutEffect(() => {
    const lost = focused.current;
    if (!lost || lost.row.isConnected || document.activeElement !== document.body) return;
    focused.current = null;
    const target = holder.current && targetIn(rowsIn(holder.current), lost);
    if (target) target.focus();
    else focusHeading();
  }, [items]);

  return useCallback((element: T) => {
    holder.current = element;
    const onIn = ({ target }: FocusEvent) => {
      const row = target instanceof HTMLElement ? target.closest<HTMLElement>(ROW) : null;
      focused.current = row && {
        row,
        place: rowsIn(element).indexOf(row),
        control: controlsIn(row).indexOf(target as HTMLElement),
      };
    };
    // Leaving by hand ends it; leaving because the row is gone, or for the row's own menu, does not.
    const onOut = () =>
      setTimeout(() => {
        const row = focused.current?.row;
        if (!row?.isConnected || row.querySelector("[aria-expanded=true]")) return;
        if (!element.contains(document.activeElement)) focused.current = null;
      });
    element.addEventListener("focusin", onIn);
    element.addEventListener("focusout", onOut);
    return () => {
      holder.current = null;
      element.removeEventListener("focusin", onIn);
      element.removeEventListener("focusout", onOut);
    };
  }, []);
}

function targetIn(rows: readonly HTMLElement[], { row, place, control }: Focused): HTMLElement | undefined {
  const same = rows.find(({ dataset }) => dataset.row === row.dataset.row);
  if (same) return controlsIn(same)[control];
  const next = rows[place] ?? rows.at(-1);
  return next && controlsIn(next).find((element) => !(element instanceof HTMLInputElement));
}

function rowsIn(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(ROW)];
}

function controlsIn(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(CONTROLS)];
}
