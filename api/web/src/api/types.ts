/** The names that screens use; they come from the generated schema. */
import type { components, operations } from "./schema";

type S = components["schemas"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** What a list of jobs may be asked for. */
export type JobsQuery = NonNullable<operations["list_jobs"]["parameters"]["query"]>;

export type Attempt = S["Attempt"];
export type Depth = S["Depth"];
export type ErrorClass = S["ErrorClass"];
export type Eta = S["Eta"];
export type EventKind = S["EventKind"];
export type FarmEvent = S["Event"];
export type Identity = S["Identity"];
export type Invitation = S["InvitationReply"];
export type Job = S["Job"];
export type JobDetail = S["JobDetail"];
export type JobState = S["JobState"];
export type JobStatus = S["JobStatus"];
export type Overview = S["Overview"];
export type Problem = S["Problem"];
export type Progress = S["Progress"];
export type Quality = S["Quality"];
export type QualityStatus = S["QualityStatus"];
export type Queue = S["Queue"];
export type QueueType = S["QueueType"];
export type RetryMode = S["RetryMode"];
export type Scope = S["Scope"];
export type ServiceHealth = S["ServiceHealth"];
export type Step = S["Step"];
export type Throughput = S["Throughput"];
export type ThroughputBucket = S["Bucket"];
export type Token = S["Token"];
export type Version = S["Version"];
export type Video = S["Video"];
export type VideoDetail = S["VideoDetail"];
export type VideoStatus = S["VideoStatus"];
export type Waiting = S["Waiting"];
export type Work = S["Work"];
export type Worker = S["Worker"];
export type WorkerJob = S["HeldJob"];
export type WorkerStatus = S["WorkerStatus"];
export type WorkerType = S["WorkerType"];
export type WorkQuality = S["QualityBar"];
