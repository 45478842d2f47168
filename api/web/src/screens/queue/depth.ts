import type { Depth, Queue } from "@/api/types";

/** All queues together. */
export function totalDepth(queues: readonly Queue[]): Depth {
  return queues.reduce(
    (total, { depth }) => ({
      pending: total.pending + depth.pending,
      running: total.running + depth.running,
      completed: total.completed + depth.completed,
      errors: total.errors + depth.errors,
    }),
    { pending: 0, running: 0, completed: 0, errors: 0 },
  );
}
