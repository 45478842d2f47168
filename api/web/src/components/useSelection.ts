import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { between } from "./range";

export interface Selection<T> {
  ids: ReadonlySet<string>;
  /** What is selected and still listed. */
  chosen: T[];
  /** Never changes, so that rows need not render for it. */
  toggle: (id: string, on: boolean, range: boolean) => void;
  all: (on: boolean) => void;
  clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/**
 * Which rows are selected. With shift all from the one before to this one. `list` names what is listed: another list
 * begins with an empty selection.
 */
export function useSelection<T extends { id: string }>(items: readonly T[], list: string): Selection<T> {
  const [ids, setIds] = useState(none);
  const newest = useRef(items);
  newest.current = items;
  const last = useRef<string | null>(null);

  const toggle = useCallback((id: string, on: boolean, range: boolean) => {
    const meant = range ? between(newest.current, last.current, id) : [id];
    last.current = id;
    setIds((old) => {
      const next = new Set(old);
      for (const one of meant) {
        if (on) next.add(one);
        else next.delete(one);
      }
      return next;
    });
  }, []);
  const clear = useCallback(() => setIds(none), []);
  const all = useCallback((on: boolean) => setIds(on ? new Set(newest.current.map(({ id }) => id)) : none), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list, another selection
  useEffect(clear, [clear, list]);
  const chosen = useMemo(() => (ids.size === 0 ? [] : items.filter(({ id }) => ids.has(id))), [items, ids]);
  return { ids, chosen, toggle, all, clear };
}
