import { useCallback, useMemo, useRef, useState } from "react";

type Chosen = ReadonlySet<string>;

/** The set with `id` turned over; with `from`, everything between the two becomes as `id` is now. */
export function toggled(chosen: Chosen, ids: readonly string[], id: string, from: string | null): Chosen {
  const next = new Set(chosen);
  const on = !chosen.has(id);
  const [a, b] = [ids.indexOf(id), from === null ? -1 : ids.indexOf(from)];
  const range = a < 0 || b < 0 ? [id] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
  for (const one of range) {
    if (on) next.add(one);
    else next.delete(one);
  }
  return next;
}

export interface Selection<T> {
  /** What is chosen and still listed. */
  chosen: T[];
  isChosen: (id: string) => boolean;
  /** Never changes, so that rows need not render for it. */
  toggle: (id: string, asRange: boolean) => void;
  all: "all" | "some" | "none";
  toggleAll: () => void;
  clear: () => void;
}

export function useSelection<T extends { id: string }>(items: readonly T[]): Selection<T> {
  const [chosen, setChosen] = useState<Chosen>(new Set());
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const listed = useRef(ids);
  listed.current = ids;
  const last = useRef<string | null>(null);

  const toggle = useCallback((id: string, asRange: boolean) => {
    const from = asRange ? last.current : null;
    last.current = id;
    setChosen((old) => toggled(old, listed.current, id, from));
  }, []);
  const clear = useCallback(() => setChosen(new Set()), []);

  const present = items.filter(({ id }) => chosen.has(id));
  const all = present.length === 0 ? "none" : present.length === items.length ? "all" : "some";
  return {
    chosen: present,
    isChosen: (id) => chosen.has(id),
    toggle,
    all,
    toggleAll: () => setChosen(all === "all" ? new Set() : new Set(ids)),
    clear,
  };
}
