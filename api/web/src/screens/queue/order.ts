import type { Job } from "@/api/types";

/** By place; those without one wait for their own time and come last, the soonest first. */
export function inQueueOrder(jobs: readonly Job[]): Job[] {
  return jobs.toSorted((a, b) => place(a) - place(b) || due(a) - due(b) || a.number - b.number);
}

/**
 * The waiting jobs from two answers that were given a moment apart: those that are due, in their order, and others.
 * One that runs by now is left out.
 */
export function waitingOf(inOrder: readonly Job[], listed: readonly Job[], running: readonly Job[]): Job[] {
  const known = new Set([...inOrder, ...running].map(({ id }) => id));
  const runs = new Set(running.map(({ id }) => id));
  const others = listed.filter(({ id }) => !known.has(id));
  return [...inOrder.filter(({ id }) => !runs.has(id)), ...inQueueOrder(others)];
}

function place({ position }: Job): number {
  return position ?? Number.MAX_SAFE_INTEGER;
}

function due({ retry_after }: Job): number {
  return retry_after ? Date.parse(retry_after) : 0;
}
