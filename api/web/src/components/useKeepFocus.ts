import { type RefCallback, useCallback, useLayoutEffect, useRef } from "react";
import { focusHeading } from "./focusHeading";

const ROW = "[data-row]";

interface Focused {
  row: Element;
  place: number;
}

/**
 * When the row that has the focus goes away, the row in its place gets it: who works with the keyboard would have to
 * start at the top of the page after each action. Returns the ref of what holds the rows, each with `data-row`.
 */
export function useKeepFocus<T extends HTMLElement>(items: readonly unknown[]): RefCallback<T> {
  const holder = useRef<T>(null);
  const focused = useRef<Focused | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows go away when the items change
  useLayoutEffect(() => {
    const lost = focused.current;
    if (!holder.current || !lost || lost.row.isConnected || document.activeElement !== document.body) return;
    focused.current = null;
    const rows = rowsIn(holder.current);
    const next = rows[lost.place] ?? rows.at(-1);
    const target = next?.querySelector<HTMLElement>("a, button");
    if (target) target.focus();
    else focusHeading();
  }, [items]);

  return useCallback((element: T) => {
    holder.current = element;
    const onIn = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest(ROW) : null;
      focused.current = row && { row, place: rowsIn(element).indexOf(row) };
    };
    // Leaving by hand ends it; leaving because the row is gone does not.
    const onOut = () =>
      setTimeout(() => {
        if (focused.current?.row.isConnected && !element.contains(document.activeElement)) focused.current = null;
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

function rowsIn(element: Element): Element[] {
  return [...element.querySelectorAll(ROW)];
}
