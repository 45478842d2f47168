/** The words for what the server names in one. */
import type { GpuState, JobState, QualityStatus, QueueType, Step, VideoStatus, WorkerStatus } from "@/api/types";

export type Tone = "neutral" | "active" | "good" | "warning" | "bad";

export interface Words {
  label: string;
  tone: Tone;
}

export const videoStatusWords: Record<VideoStatus, Words> = {
  pending: { label: "Waiting", tone: "neutral" },
  processing: { label: "Transcoding", tone: "active" },
  ready: { label: "Ready", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
};

export const jobStateWords: Record<JobState, Words> = {
  unclaimed: { label: "Waiting", tone: "neutral" },
  claimed: { label: "Running", tone: "active" },
  expired: { label: "Worker silent", tone: "warning" },
  completed: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  retrying: { label: "Tries again", tone: "warning" },
  cancelled: { label: "Cancelled", tone: "neutral" },
};

export const workerStatusWords: Record<WorkerStatus, Words> = {
  active: { label: "Online", tone: "good" },
  idle: { label: "Idle", tone: "good" },
  busy: { label: "Busy", tone: "active" },
  offline: { label: "Offline", tone: "bad" },
  disabled: { label: "Disabled", tone: "neutral" },
};

export const gpuStateWords: Record<GpuState, Words> = {
  ready: { label: "Ready", tone: "good" },
  yielding: { label: "Yielding", tone: "neutral" },
  quarantined: { label: "Quarantined", tone: "bad" },
  lost: { label: "Lost", tone: "bad" },
  unusable: { label: "Not usable", tone: "warning" },
};

export const qualityStatusWords: Record<QualityStatus, Words> = {
  pending: { label: "Waiting", tone: "neutral" },
  in_progress: { label: "Transcoding", tone: "active" },
  completed: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  skipped: { label: "Skipped", tone: "neutral" },
};

export const stepWords: Record<Step, string> = {
  probe: "Reading the file",
  thumbnail: "Making pictures",
  transcode: "Transcoding",
  master_playlist: "Writing playlists",
  finalize: "Finishing",
};

export const queueTypeWords: Record<QueueType, string> = {
  transcode: "Transcode",
  preview: "Previews",
  captions: "Captions",
};
