/** One clock for all texts that depend on the time, the server's; it rests while nobody looks. */
import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;
/** Two clocks that differ less are the same: answers travel for a while, and they tell whole seconds. */
const SAME_MS = 5_000;

let aheadMs = 0;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** What the server's clock says. All times come from there, and the one of this computer may be wrong. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}

/** `date`: of the header of an answer. */
export function hearServerTime(date: string | null): void {
  const ahead = Date.parse(date ?? "") - Date.now();
  if (!Number.isNaN(ahead)) aheadMs = Math.abs(ahead) < SAME_MS ? 0 : ahead;
}

function tick(): void {
  if (document.visibilityState === "hidden") return;
  now = serverNow();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = serverNow();
    timer = setInterval(tick, TICK_MS);
    document.addEventListener("visibilitychange", tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener("visibilitychange", tick);
  };
}

/** The time, at a step of `stepMs`: a text that shows minutes need not render each second. */
export function useNow(stepMs = TICK_MS): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now / stepMs) * stepMs);
}
