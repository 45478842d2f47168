import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

const ROW = "[data-job]";

/**
 * When the row that has the focus goes away, the row in its place gets it: who works with the keyboard would have to
 * start at the top of the page after each action. Returns the ref of what holds the rows.
 */
export function useKeepFocus<T extends HTMLElement>(items: readonly unknown[]): RefObject<T | null> {
  const holder = useRef<T>(null);
  const focused = useRef<{ row: Element; place: number } | null>(null);

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const onIn = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest(ROW) : null;
      focused.current = row && { row, place: rowsIn(element).indexOf(row) };
    };
    // Leaving by hand ends it; leaving because the row is gone does not.
    const onOut = () => setTimeout(() => focused.current?.row.isConnected && !hasFocus(element) && forget(focused));
    element.addEventListener("focusin", onIn);
    element.addEventListener("focusout", onOut);
    return () => {
      element.removeEventListener("focusin", onIn);
      element.removeEventListener("focusout", onOut);
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows go away when the items change
  useLayoutEffect(() => {
    const lost = focused.current;
    if (!holder.current || !lost || lost.row.isConnected || document.activeElement !== document.body) return;
    focused.current = null;
    const rows = rowsIn(holder.current);
    const next = rows[lost.place] ?? rows.at(-1);
    (next?.querySelector<HTMLElement>("a") ?? document.querySelector<HTMLElement>("h1"))?.focus();
  }, [items]);

  return holder;
}

function rowsIn(element: Element): Element[] {
  return [...element.querySelectorAll(ROW)];
}

function hasFocus(element: Element): boolean {
  return element.contains(document.activeElement);
}

function forget(focused: RefObject<unknown>): void {
  focused.current = null;
}
