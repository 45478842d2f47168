/** Why waiting jobs do not start. Each reason asks for something else, so they must not look alike. */
import type { Queue, QueueType, Worker } from "@/api/types";
import { isOnline } from "@/format/workers";

export type Situation =
  | { kind: "paused"; queues: QueueType[]; all: boolean }
  | { kind: "no_workers"; registered: number; waiting: number }
  | { kind: "draining"; workers: number; waiting: number }
  | { kind: "limit"; queue: QueueType; most: number; waiting: number }
  | { kind: "busy"; workers: number; slots: number; waiting: number };

/** What stands in the way, the most important first; `workers` is undefined while they are not known. */
export function situationsOf(queues: readonly Queue[], workers: readonly Worker[] | undefined): Situation[] {
  const found: Situation[] = [];
  const paused = queues.filter((queue) => queue.paused);
  const waiting = sum(queues.map(({ depth }) => depth.pending));
  if (paused.length > 0) {
    found.push({
      kind: "paused",
      queues: paused.map((queue) => queue.queue_type),
      all: paused.length === queues.length,
    });
  }
  if (waiting === 0) return found;
  const off = workers && nobodyTakes(workers, waiting);
  if (off) return [...found, off];
  const open = queues.filter((queue) => !queue.paused && queue.depth.pending > 0);
  const full = open.flatMap(({ queue_type, max_running, depth }): Situation[] =>
    max_running != null && depth.running >= max_running
      ? [{ kind: "limit", queue: queue_type, most: max_running, waiting: depth.pending }]
      : [],
  );
  if (full.length > 0) return [...found, ...full];
  const busy = open.length > 0 && workers && allBusy(workers, waiting);
  return busy ? [...found, busy] : found;
}

function nobodyTakes(workers: readonly Worker[], waiting: number): Situation | null {
  const online = workers.filter(({ status }) => isOnline(status));
  if (online.length === 0) return { kind: "no_workers", registered: workers.length, waiting };
  if (online.every(({ draining }) => draining)) return { kind: "draining", workers: online.length, waiting };
  return null;
}

function allBusy(workers: readonly Worker[], waiting: number): Situation | null {
  const taking = workers.filter((worker) => isOnline(worker.status) && !worker.draining);
  const hasRoom = ({ jobs, slots }: Worker) => jobs.length < (slots ?? 1);
  if (taking.some(hasRoom)) return null;
  return { kind: "busy", workers: taking.length, slots: sum(taking.map(({ slots }) => slots ?? 1)), waiting };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
