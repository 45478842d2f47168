/** Every key of the query cache; the live stream and the screens meet here. */
import type { JobsQuery, VideoStatus } from "./types";

export interface VideosFilter {
  status?: VideoStatus;
  collection?: string;
  search?: string;
}

export type JobsFilter = Omit<JobsQuery, "cursor" | "limit">;

export const keys = {
  me: ["me"],
  version: ["version"],
  health: ["health"],
  overview: ["overview"],
  throughputs: ["throughput"],
  throughput: (hours: number) => ["throughput", hours],
  queues: ["queues"],
  tokens: ["tokens"],
  audit: ["audit"],
  workers: ["workers"],
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
    detail: (id: string) => ["jobs", "detail", id],
  },
} as const;
