/** Answers of the server for tests: everything ordinary, so that a test names only what it is about. */
import type {
  Collection,
  Endpoint,
  FarmEvent,
  Gpu,
  Job,
  Progress,
  Video,
  VideoDetail,
  Work,
  Worker,
} from "@/api/types";

export const AT = "2030-01-01T12:00:00Z";

export function exampleJob(change: Partial<Job> = {}): Job {
  return {
    id: "job-1",
    number: 1,
    video_id: "video-1",
    video_title: "Harbour",
    queue_type: "transcode",
    status: "running",
    state: "claimed",
    priority: 0,
    generation: 1,
    fence: 1,
    attempt_number: 1,
    failure_count: 0,
    lost_count: 0,
    max_attempts: 3,
    max_lost: 3,
    requeue_count: 0,
    progress_percent: 0,
    enqueued_at: AT,
    position: null,
    waiting: null,
    eta: null,
    ...change,
  } as Job;
}

export function exampleWork(change: Partial<Work> = {}): Work {
  return {
    job_id: "job-1",
    job_number: 1,
    status: "running",
    state: "claimed",
    percent: 0,
    step: "probe",
    worker_name: "north",
    position: null,
    waiting: null,
    eta: null,
    qualities: [
      { name: "720p", kind: "video", status: "pending", percent: 0 },
      { name: "360p", kind: "video", status: "completed", percent: 100 },
    ],
    ...change,
  };
}

export function exampleVideo(change: Partial<Video> = {}): Video {
  return {
    id: "video-1",
    slug: "harbour",
    title: "Harbour",
    status: "processing",
    generation: 0,
    source_name: "harbour.mov",
    source_size: 1_000,
    source_sha256: "",
    created_at: AT,
    subtitles: [],
    thumbnail_urls: [],
    renditions: null,
    work: exampleWork(),
    ...change,
  } as Video;
}

export function exampleDetail(change: Partial<VideoDetail> = {}): VideoDetail {
  return {
    video: exampleVideo(),
    jobs: [exampleJob(), exampleJob({ id: "job-0", status: "failed" })],
    qualities: [
      {
        name: "720p",
        kind: "video",
        width: 1280,
        height: 720,
        bitrate_kbps: 2_500,
        status: "pending",
        progress_percent: 0,
        segments_completed: 0,
        segments_total: 10,
      },
    ],
    notes: [],
    ...change,
  };
}

export function exampleWorker(change: Partial<Worker> = {}): Worker {
  return {
    id: "worker-1",
    name: "north",
    status: "busy",
    draining: false,
    has_gpu: false,
    gpus: [],
    health: "ok",
    conditions: [],
    worker_type: "local",
    registered_at: AT,
    last_heartbeat: AT,
    capabilities: {},
    metadata: {},
    jobs: [{ id: "job-1", number: 1, video_id: "video-1", video_title: "Harbour", percent: 0, eta: null }],
    slots: 1,
    version: "1.0.0",
    speed: null,
    ...change,
  } as Worker;
}

export function exampleGpu(change: Partial<Gpu> = {}): Gpu {
  return {
    id: "GPU-1",
    kind: "nvenc",
    name: "test GPU",
    state: "ready",
    reason: null,
    encoders: [{ name: "h264_nvenc", codec: "h264", fps: 480, max_side: 4096, on_card: true }],
    sessions: 1,
    session_limit: 3,
    memory_bytes: 8e9,
    sample: {
      encoder_percent: 40,
      memory_used_bytes: 2e9,
      temperature_celsius: 55,
      foreign_processes: 0,
      throttled: [],
    },
    history: {
      every_seconds: 2,
      encoder_percent: [10, 20, 40],
      memory_percent: [20, 20, 25],
      temperature_celsius: [50, 0, 55],
    },
    ...change,
  };
}

export function exampleProgress(change: Partial<Progress> = {}): Progress {
  return {
    job_id: "job-1",
    video_id: "video-1",
    step: "transcode",
    percent: 40,
    eta: { seconds: 60, low_seconds: 50, high_seconds: 80, starts_in_seconds: null, at: AT },
    qualities: [
      { name: "720p", percent: 30, fps: 24, speed: 1.5 },
      { name: "360p", percent: 90, fps: 60, speed: 4 },
    ],
    ...change,
  };
}

export function exampleEvent(change: Partial<FarmEvent> = {}): FarmEvent {
  return {
    id: 7,
    at: AT,
    kind: "job_claimed",
    actor: "north",
    job_id: "job-1",
    video_id: "video-1",
    ...change,
  } as FarmEvent;
}

export function exampleEndpoint(change: Partial<Endpoint> = {}): Endpoint {
  return {
    id: "endpoint-1",
    name: "on call",
    kind: "slack",
    address: "hooks.slack.com/…cret",
    alert_types: [],
    enabled: true,
    disabled_reason: null,
    from_settings: false,
    signed: false,
    old_secret_until: null,
    failures: 0,
    paused_until: null,
    last_success_at: null,
    last_failure_at: null,
    last_error: null,
    created_at: AT,
    ...change,
  };
}

export function exampleCollection(change: Partial<Collection> = {}): Collection {
  return {
    id: "collection-1",
    name: "Gardens",
    created_at: AT,
    ladder: null,
    priority: 0,
    completed_retention_days: null,
    source_retention: null,
    videos: 2,
    jobs: { pending: 0, running: 0, completed: 2, errors: 0, cancelled: 0 },
    ...change,
  };
}
