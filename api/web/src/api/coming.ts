/**
 * What the server is about to offer and `docs/openapi.json` does not say yet.
 * Delete this file, and point `types.ts` and `client.ts` at the schema, once it does.
 */
import type { components, paths } from "./schema";

type S = components["schemas"];

export type WaitingReason = "paused" | "retry" | "no_worker" | "gpu" | "limit" | "busy" | "starting";

export interface Waiting {
  reason: WaitingReason;
  text: string;
  until: string | null;
}

export interface Eta {
  seconds: number;
  low_seconds: number;
  high_seconds: number;
  starts_in_seconds: number | null;
  at: string;
}

export type Job = S["Job"] & {
  video_title: string;
  position: number | null;
  waiting: Waiting | null;
  eta: Eta | null;
};

export interface WorkQuality {
  name: string;
  kind: S["MediaKind"];
  status: S["QualityStatus"];
  percent: number;
}

export interface Work {
  job_id: string;
  job_number: number;
  status: "pending" | "running";
  state: S["JobState"];
  percent: number;
  step: S["Step"] | null;
  worker_name: string | null;
  position: number | null;
  waiting: Waiting | null;
  eta: Eta | null;
  qualities: WorkQuality[];
}

export type Video = S["Video"] & { work: Work | null };
export type VideoDetail = Omit<S["VideoDetail"], "video" | "jobs"> & { video: Video; jobs: Job[] };
export type JobDetail = Omit<S["JobDetail"], "job"> & { job: Job };

export interface WorkerJob {
  id: string;
  number: number;
  video_id: string;
  video_title: string;
  percent: number;
  eta: Eta | null;
}

export type Worker = S["Worker"] & {
  jobs: WorkerJob[];
  slots: number | null;
  version: string | null;
  speed: number | null;
};

export interface ThroughputBucket {
  start: string;
  completed: number;
  failed: number;
  video_seconds: number;
}

export interface Throughput {
  buckets: ThroughputBucket[];
  bucket_seconds: number;
}

export interface Overview {
  health: S["ServiceHealth"];
  recent_failures: Job[];
  running: Job[];
  queue_eta: Eta | null;
}

export interface NextJobs {
  items: Job[];
  total: number;
}

export interface Invitation {
  id: string;
  token: string;
  expires_at: string;
}

export interface QualityProgress {
  name: string;
  percent: number;
  fps: number | null;
  speed: number | null;
}

export interface Progress {
  job_id: string;
  video_id: string;
  step: S["Step"] | null;
  percent: number;
  eta: Eta | null;
  qualities: QualityProgress[];
}

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

export interface JobsQuery {
  status?: S["JobStatus"];
  active?: boolean;
  queue_type?: S["QueueType"];
  collection?: string;
  search?: string;
  worker?: string;
  video?: string;
  cursor?: string;
  limit?: number;
}

interface Json<T> {
  headers: Record<string, unknown>;
  content: { "application/json": T };
}

interface Operation<Parameters, Status extends number, T> {
  parameters: Parameters;
  requestBody?: never;
  responses: Record<Status, Json<T>>;
}

type QueryOf<Q> = { query?: Q; header?: never; path?: never; cookie?: never };
type IdOf = { query?: never; header?: never; path: { id: string }; cookie?: never };

interface ComingPaths {
  "/api/videos": Omit<paths["/api/videos"], "get"> & {
    get: Operation<NonNullable<paths["/api/videos"]["get"]>["parameters"], 200, Page<Video>>;
  };
  "/api/videos/{id}": Omit<paths["/api/videos/{id}"], "get"> & { get: Operation<IdOf, 200, VideoDetail> };
  "/api/queue/jobs": Omit<paths["/api/queue/jobs"], "get"> & {
    get: Operation<QueryOf<JobsQuery>, 200, Page<Job>>;
  };
  "/api/queue/jobs/{id}": Omit<paths["/api/queue/jobs/{id}"], "get"> & { get: Operation<IdOf, 200, JobDetail> };
  "/api/queue/jobs/{id}/cancel": { post: Operation<IdOf, 200, Job> };
  "/api/queue/next": { get: Operation<QueryOf<{ limit?: number }>, 200, NextJobs> };
  "/api/queue/retry-errors": {
    post: Operation<QueryOf<{ queue_type?: S["QueueType"]; collection?: string; search?: string }>, 200, S["Retried"]>;
  };
  "/api/throughput": { get: Operation<QueryOf<{ hours?: number }>, 200, Throughput> };
  "/api/overview": { get: Operation<QueryOf<never>, 200, Overview> };
  "/api/workers": Omit<paths["/api/workers"], "get"> & {
    get: Operation<NonNullable<paths["/api/workers"]["get"]>["parameters"], 200, Page<Worker>>;
  };
  "/api/workers/invitations": { post: Operation<QueryOf<never>, 201, Invitation> };
}

export type AllPaths = Omit<paths, keyof ComingPaths> & ComingPaths;
