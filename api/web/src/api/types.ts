/** The names that screens use; they come from the generated schema. */
import type { components, operations } from "./schema";

type S = components["schemas"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** A GPU, with what heartbeats of its worker reported after the response. */
export type Gpu = S["Gpu"] & { live?: GpuLive };

export interface GpuLive {
  course: GpuCourse;
  /** When the rest was told, which is not in the signs; null if that is not known. */
  toldAt: string | null;
}

/** The history of a GPU, oldest first: lists of the same length, with null for values that were not reported. */
export interface GpuCourse {
  /** Milliseconds. */
  at: number[];
  encoder: (number | null)[];
  memory: (number | null)[];
  temperature: (number | null)[];
}

/** What a list of jobs may be asked for. */
export type JobsQuery = NonNullable<operations["list_jobs"]["parameters"]["query"]>;

/** What the audit log may be asked for. */
export type AuditQuery = NonNullable<operations["list_events"]["parameters"]["query"]>;

/** What the deliveries may be asked for. */
export type DeliveriesQuery = NonNullable<operations["list_alert_deliveries"]["parameters"]["query"]>;

export type Alerts = S["Alerts"];
export type AlertStatus = S["AlertStatus"];
export type AlertType = S["AlertType"];
export type Attempt = S["Attempt"];
export type AttemptOutcome = S["AttemptOutcome"];
export type BatchReport = S["BatchReport"];
export type Cleaned = S["Cleaned"];
export type CleanupReport = S["Report"];
export type Collection = S["Collection"];
export type Delivery = S["Delivery"];
export type DeliveryAttempt = S["DeliveryAttempt"];
export type DeliveryDetail = S["DeliveryDetail"];
export type DeliveryStatus = S["DeliveryStatus"];
export type Depth = S["Depth"];
export type Endpoint = S["Endpoint"];
export type EndpointKind = S["EndpointKind"];
export type ErrorClass = S["ErrorClass"];
export type Eta = S["Eta"];
export type EventKind = S["EventKind"];
export type FarmEvent = S["Event"];
export type GpuEncoder = S["GpuEncoder"];
export type GpuHistory = S["GpuHistory"];
export type GpuSample = S["GpuSample"];
export type GpuSign = S["GpuSign"];
export type GpuState = S["GpuState"];
export type Identity = S["Identity"];
export type ImportReport = S["Imported"];
export type ImportRow = S["ImportedRow"];
export type Intake = S["Intake"];
export type IntakeKind = S["IntakeKind"];
export type IntakeState = S["IntakeState"];
export type Invitation = S["InvitationReply"];
export type Job = S["Job"];
export type JobDetail = S["JobDetail"];
export type JobsFilter = S["JobsFilter"];
export type JobState = S["JobState"];
export type JobStatus = S["JobStatus"];
export type NewSecret = S["NewSecret"];
export type Note = S["Note"];
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
export type SkippedFor = S["SkippedFor"];
export type SkipReason = S["SkipReason"];
export type SourceInfo = S["SourceInfo"];
export type Step = S["Step"];
export type StuckJob = S["StuckJob"];
export type StuckReason = S["StuckReason"];
export type Thresholds = S["Thresholds"];
export type Throughput = S["Throughput"];
export type ThroughputBucket = S["Bucket"];
export type Token = S["Token"];
export type Version = S["Version"];
export type Video = S["Video"];
export type VideoCodec = S["VideoCodec"];
export type VideoDetail = S["VideoDetail"];
export type VideoStatus = S["VideoStatus"];
export type Waiting = S["Waiting"];
export type Work = S["Work"];
export type Worker = Omit<S["Worker"], "gpus"> & { gpus: Gpu[] };
export type WorkerJob = S["WorkerJob"];
export type WorkerSign = S["WorkerSign"];
export type WorkerStatus = S["WorkerStatus"];
export type WorkerType = S["WorkerType"];
export type WorkQuality = S["QualityBar"];
