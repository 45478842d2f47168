/** The names that screens use; they come from the generated schema. */
import type { components } from "./schema";

export type {
  Eta,
  Invitation,
  Job,
  JobDetail,
  JobsQuery,
  NextJobs,
  Overview,
  Page,
  Progress,
  Throughput,
  ThroughputBucket,
  Video,
  VideoDetail,
  Waiting,
  Work,
  Worker,
  WorkerJob,
  WorkQuality,
} from "./coming";

type S = components["schemas"];

export type Attempt = S["Attempt"];
export type Depth = S["Depth"];
export type ErrorClass = S["ErrorClass"];
export type FarmEvent = S["Event"];
export type EventKind = S["EventKind"];
export type Identity = S["Identity"];
export type JobState = S["JobState"];
export type JobStatus = S["JobStatus"];
export type Problem = S["Problem"];
export type Quality = S["Quality"];
export type QualityStatus = S["QualityStatus"];
export type Queue = S["Queue"];
export type QueueType = S["QueueType"];
export type RetryMode = S["RetryMode"];
export type Scope = S["Scope"];
export type ServiceHealth = S["ServiceHealth"];
export type Step = S["Step"];
export type Token = S["Token"];
export type Version = S["Version"];
export type VideoStatus = S["VideoStatus"];
export type WorkerStatus = S["WorkerStatus"];
export type WorkerType = S["WorkerType"];
