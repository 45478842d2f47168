import { useEffect, useRef, useState } from "react";
import type { Worker } from "@/api/types";

type Known = Pick<Worker, "id" | "name">;

/** The workers that are there now and were not before. */
export function newcomers(before: ReadonlySet<string>, now: readonly Known[]): Known[] {
  return now.filter(({ id }) => !before.has(id));
}

/** The names of workers that appeared since the list was first seen, or since `reset` was called. */
export function useNewcomers(workers: readonly Worker[] | undefined): { names: string[]; reset: () => void } {
  const known = useRef<Set<string> | null>(null);
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => {
    if (!workers) return;
    if (known.current === null) {
      known.current = new Set(workers.map(({ id }) => id));
      return;
    }
    const before = known.current;
    const fresh = newcomers(before, workers);
    if (fresh.length === 0) return;
    for (const { id } of fresh) before.add(id);
    setNames((told) => [...told, ...fresh.map(({ name }) => name)]);
  }, [workers]);
  return { names, reset: () => setNames([]) };
}
