/** Who is there. */
import type { ServiceHealth, WorkerStatus } from "@/api/types";

export type WorkerCounts = ServiceHealth["processing"]["workers"];

export function isOnline(status: WorkerStatus): boolean {
  return status !== "offline" && status !== "disabled";
}

export function onlineOf({ active, idle, busy }: WorkerCounts): number {
  return active + idle + busy;
}
