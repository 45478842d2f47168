/** How the states that the server names are shown. */
import type {
  GpuState,
  JobState,
  QualityStatus,
  QueueType,
  Step,
  VideoCodec,
  VideoStatus,
  WorkerStatus,
} from "@/api/types";
import { commonTexts } from "@/texts/common";

export type Tone = "neutral" | "active" | "good" | "warning" | "bad";

export interface Words {
  label: string;
  tone: Tone;
}

export const videoStatusWords: Record<VideoStatus, Words> = {
  pending: { label: commonTexts.videoStatus.pending, tone: "neutral" },
  processing: { label: commonTexts.videoStatus.processing, tone: "active" },
  ready: { label: commonTexts.videoStatus.ready, tone: "good" },
  failed: { label: commonTexts.videoStatus.failed, tone: "bad" },
};

export const jobStateWords: Record<JobState, Words> = {
  unclaimed: { label: commonTexts.jobState.unclaimed, tone: "neutral" },
  claimed: { label: commonTexts.jobState.claimed, tone: "active" },
  expired: { label: commonTexts.jobState.expired, tone: "warning" },
  completed: { label: commonTexts.jobState.completed, tone: "good" },
  failed: { label: commonTexts.jobState.failed, tone: "bad" },
  retrying: { label: commonTexts.jobState.retrying, tone: "warning" },
  cancelled: { label: commonTexts.jobState.cancelled, tone: "neutral" },
};

export const workerStatusWords: Record<WorkerStatus, Words> = {
  active: { label: commonTexts.workerStatus.active, tone: "good" },
  idle: { label: commonTexts.workerStatus.idle, tone: "good" },
  busy: { label: commonTexts.workerStatus.busy, tone: "active" },
  offline: { label: commonTexts.workerStatus.offline, tone: "bad" },
  disabled: { label: commonTexts.workerStatus.disabled, tone: "neutral" },
};

export const gpuStateWords: Record<GpuState, Words> = {
  ready: { label: commonTexts.gpuState.ready, tone: "good" },
  yielding: { label: commonTexts.gpuState.yielding, tone: "neutral" },
  quarantined: { label: commonTexts.gpuState.quarantined, tone: "bad" },
  lost: { label: commonTexts.gpuState.lost, tone: "bad" },
  unusable: { label: commonTexts.gpuState.unusable, tone: "warning" },
};

export const qualityStatusWords: Record<QualityStatus, Words> = {
  pending: { label: commonTexts.qualityStatus.pending, tone: "neutral" },
  in_progress: { label: commonTexts.qualityStatus.in_progress, tone: "active" },
  completed: { label: commonTexts.qualityStatus.completed, tone: "good" },
  failed: { label: commonTexts.qualityStatus.failed, tone: "bad" },
  skipped: { label: commonTexts.qualityStatus.skipped, tone: "neutral" },
};

export const stepWords: Record<Step, string> = commonTexts.steps;

export const queueTypeWords: Record<QueueType, string> = commonTexts.queueTypes;

export const codecWords: Record<VideoCodec, string> = commonTexts.codecs;
