/** Changes of many jobs, by their ids or by a filter; the server does it, however many there are. */
import { api, body } from "@/api/client";
import type { JobsFilter } from "@/api/types";
import type { BulkReport } from "./bulkReport";
import type { JobFilter } from "./jobFilter";

export type Chosen = { ids: string[] } | { filter: JobsFilter };

export async function retryJobs(chosen: Chosen, dry_run = false): Promise<BulkReport> {
  const { retried, ...rest } = await body(api.POST("/api/queue/requeue", { body: { ...chosen, dry_run } }));
  return { done: retried, ...rest };
}

export async function prioritiseJobs(chosen: Chosen, priority: number, dry_run = false): Promise<BulkReport> {
  const answer = await body(api.POST("/api/queue/priority", { body: { ...chosen, priority, dry_run } }));
  return { ...answer, done: answer.changed + answer.unchanged };
}

export type ClearedStatus = "completed" | "failed" | "cancelled";

/** How many. */
export async function clearJobs(status: ClearedStatus, filter: JobFilter, dry_run = false): Promise<number> {
  const params = { query: { ...filter, status, dry_run } };
  const answer =
    status === "completed"
      ? api.POST("/api/queue/clear-completed", { params })
      : api.POST("/api/queue/clear-errors", { params });
  return (await body(answer)).cleared;
}
