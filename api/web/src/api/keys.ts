/** Every key of the query cache; the live stream and the screens meet here. */
import type { AuditQuery, DeliveriesQuery, JobsQuery, VideoStatus } from "./types";

export interface VideosFilter {
  status?: VideoStatus;
  collection?: string;
  search?: string;
}

export type JobsFilter = Omit<JobsQuery, "cursor" | "limit">;
export type DeliveriesFilter = Omit<DeliveriesQuery, "cursor" | "limit">;
export type AuditFilter = Omit<AuditQuery, "cursor" | "limit">;

export const keys = {
  me: ["me"],
  version: ["version"],
  health: ["health"],
  overview: ["overview"],
  throughputs: ["throughput"],
  throughput: (hours: number) => ["throughput", hours],
  queues: ["queues"],
  tokens: ["tokens"],
  audits: ["audit"],
  audit: (filter: AuditFilter) => ["audit", filter],
  workers: ["workers"],
  collections: ["collections"],
  intake: ["intake"],
  alerts: {
    all: ["alerts"],
    states: ["alerts", "states"],
    endpoints: ["alerts", "endpoints"],
    deliveries: ["alerts", "deliveries"],
    deliveryList: (filter: DeliveriesFilter) => ["alerts", "deliveries", "list", filter],
    delivery: (id: string) => ["alerts", "deliveries", "detail", id],
  },
  /** What the encoder of a running job wrote last; the stream alone brings it. */
  log: (jobId: string) => ["log", jobId],
  videos: {
    all: ["videos"],
    lists: ["videos", "list"],
    list: (filter: VideosFilter) => ["videos", "list", filter],
    detail: (id: string) => ["videos", "detail", id],
  },
  jobs: {
    all: ["jobs"],
    lists: ["jobs", "list"],
    list: (filter: JobsFilter) => ["jobs", "list", filter],
    next: ["jobs", "next"],
    stuck: ["jobs", "stuck"],
    detail: (id: string) => ["jobs", "detail", id],
  },
} as const;
