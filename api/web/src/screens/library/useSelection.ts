import { useCallback, useMemo, useRef, useState } from "react";
import type { Video } from "@/api/types";
import { between } from "./range";

export interface Selection {
  ids: ReadonlySet<string>;
  /** The selected videos that are in the list. */
  videos: Video[];
  toggle: (id: string, on: boolean, range: boolean) => void;
  all: (on: boolean) => void;
  clear: () => void;
}

/** Which videos are selected. With shift all from the one before to this one. */
export function useSelection(items: readonly Video[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
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
  const clear = useCallback(() => setIds(new Set()), []);
  const all = useCallback((on: boolean) => setIds(new Set(on ? newest.current.map(({ id }) => id) : [])), []);
  const videos = useMemo(() => (ids.size === 0 ? [] : items.filter(({ id }) => ids.has(id))), [items, ids]);
  return { ids, videos, toggle, all, clear };
}
