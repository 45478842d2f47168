import { useRef } from "react";
import { cut } from "./chunks";

/** `cut` with a memory. */
export function useChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const last = useRef<{ items: readonly T[]; pieces: (readonly T[])[] }>({ items: [], pieces: [] });
  if (last.current.items !== items) last.current = { items, pieces: cut(items, size, last.current.pieces) };
  return last.current.pieces;
}
