import type { Worker } from "@/api/types";

const ranks: Record<Worker["status"], number> = { busy: 0, active: 0, idle: 0, offline: 1, disabled: 2 };
const names = new Intl.Collator(undefined, { numeric: true });

/** Those that are online first, then by name: cards must not jump whenever a job begins or ends. */
export function inWorkerOrder(workers: readonly Worker[]): Worker[] {
  return workers.toSorted(
    (a, b) => ranks[a.status] - ranks[b.status] || names.compare(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
}
