/** Long lists in pieces: only what is near the window is on the page. */
import { useRef } from "react";

/**
 * Cuts `items` into pieces. A piece whose items are all the same objects as before is the same array as before, so that
 * what shows it need not render again.
 */
export function cut<T>(items: readonly T[], size: number, before: readonly (readonly T[])[] = []): (readonly T[])[] {
  const pieces: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += size) {
    const piece = items.slice(start, start + size);
    const old = before[pieces.length];
    pieces.push(old && sameItems(old, piece) ? old : piece);
  }
  return pieces;
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** `cut` with a memory. */
export function useChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const last = useRef<{ items: readonly T[]; pieces: (readonly T[])[] }>({ items: [], pieces: [] });
  if (last.current.items !== items) last.current = { items, pieces: cut(items, size, last.current.pieces) };
  return last.current.pieces;
}
