/**
 * Texts that several screens share.
 * Edit what stands in quotes or backticks. The page fills in each ${…}; `count(files, "file")` becomes "1 file" or
 * "2 files".
 */
import { count } from "@/format/count";

export const commonTexts = {
  windowTitle: (page: string) => `${page} · Framefarm`,
  loading: "Loading",
  clearSearch: "Clear search",

  // A line of text with a button that copies it; `what` is "join command", for example.
  copy: {
    button: "Copy",
    buttonFor: (what: string) => `Copy ${what}`,
    copied: "Copied",
    denied: "Clipboard access denied. Select the text and copy it.",
  },

  // A dialog that shows a token, secret or key, once.
  secret: {
    copied: "I have copied it",
    copyFirst: "Copy it before you close this: it cannot be shown again.",
  },

  // The button that closes a dialog such as "Cancel transcoding" and changes nothing.
  goBack: "Go back",

  // Errors
  loadingFailed: "Could not load this",
  tryAgain: "Try again",
  requestId: (id: string) => `Request ID: ${id}`,
  serverUnreachable: "Cannot reach the server. Check that it is running and that you are online.",
  serverResponded: (status: number) => `The server responded with HTTP ${status}.`,
  emptyResponse: "The server sent an empty response.",
  sessionEnded: "Your session has ended. Log in to continue.",
  unknownError: "Something went wrong.",

  // On pages that were loaded over plain HTTP
  unencrypted: {
    title: "Connection is not encrypted",
    risk: "Anyone on the network path can read passwords, tokens and keys.",
    remedy: "Start Framefarm with --tls-cert and --tls-key, or put it behind an HTTPS proxy.",
  },

  // After an action on several things: "12 jobs cancelled.", "9 of 12 jobs cancelled. Failed: …"
  bulk: {
    allDone: (things: string, done: string) => `${things} ${done}.`,
    someDone: (number: string, things: string, done: string, reasons: string) =>
      `${number} of ${things} ${done}. Failed: ${reasons}`,
    sameReason: (reason: string, times: string) => `${reason} (${times}×)`,
    moreReasons: (number: string) => `And ${number} more.`,
  },

  // Times
  justNow: "just now",
  ago: (time: string) => `${time} ago`,
  inTime: (time: string) => `in ${time}`,
  days: (days: number) => count(days, "day"),
  retryingIn: "Retrying in",

  // Estimates: "about 20 s", "up to 7 min", "2–3 days"
  estimate: {
    unknown: "no estimate yet",
    fewSeconds: "a few seconds",
    about: (time: string) => `about ${time}`,
    upTo: (time: string) => `up to ${time}`,
    daysUnit: "days",
  },

  // Position in the queue
  nextInQueue: "Next in queue",
  placeInQueue: (place: string) => `${place} in queue`,

  // Qualities
  qualities: {
    progressList: "Progress by quality",
    progressBar: (quality: string) => `Quality ${quality}`,
    progressValue: (status: string, percent: string) => `${status}, ${percent}`,
    audio: "Audio",
    audioNumber: (number: number) => `Audio ${number}`,
    surround: (audio: string) => `${audio}, 5.1 surround`,
    surroundShort: (audio: string) => `${audio}, 5.1`,
  },

  // Storage
  storage: {
    unlimited: "Object store, no capacity limit reported.",
    reserved: (bytes: string) => `${bytes} is reserved.`,
    nothingReserved: "No space is reserved.",
    full: "Uploads are rejected.",
    nearlyFull: "Nearly full.",
  },

  // How jobs reach workers
  dispatch: {
    redis: (mode: string) => `Redis (${mode})`,
    database: "Database",
    redisDown: "Database (Redis is down)",
    redisDownRetrying: (seconds: number) => `Database (Redis is down, retrying in ${seconds} s)`,
  },

  videoStatus: {
    pending: "Waiting",
    processing: "Transcoding",
    ready: "Ready",
    failed: "Failed",
  },

  jobState: {
    unclaimed: "Waiting",
    claimed: "Running",
    expired: "No heartbeat",
    completed: "Done",
    failed: "Failed",
    retrying: "Retrying",
    cancelled: "Cancelled",
  },

  workerStatus: {
    active: "Online",
    idle: "Idle",
    busy: "Busy",
    offline: "Offline",
    disabled: "Disabled",
    draining: "Draining",
  },

  gpuState: {
    ready: "Ready",
    yielding: "Yielding",
    quarantined: "Quarantined",
    lost: "Lost",
    unusable: "Not usable",
  },

  qualityStatus: {
    pending: "Waiting",
    in_progress: "Transcoding",
    completed: "Done",
    failed: "Failed",
    skipped: "Skipped",
  },

  steps: {
    probe: "Probing file",
    thumbnail: "Creating thumbnails",
    transcode: "Transcoding",
    master_playlist: "Writing playlists",
    finalize: "Finalizing",
  },

  queueTypes: {
    transcode: "Transcode",
    preview: "Previews",
    captions: "Captions",
  },

  codecs: {
    h264: "H.264",
    hevc: "HEVC",
    av1: "AV1",
  },

  // Why jobs fail, in a few words
  errorClasses: {
    input_missing: "Source missing",
    input_denied: "Source not readable",
    input_invalid: "Invalid video file",
    encoder: "Encoder failed",
    gpu_busy: "GPU busy",
    transfer: "Transfer failed",
    storage: "Storage failed",
    timeout: "Timed out",
    internal: "Internal error",
    poison: "Crashes workers",
  },

  // What happens on the farm, for the audit log and its filter
  events: {
    video_created: "Video added",
    video_changed: "Video changed",
    video_published: "Video published",
    video_deleted: "Video deleted",
    video_restored: "Video restored",
    source_deleted: "Original file deleted",
    job_enqueued: "Job queued",
    job_imported: "Job imported",
    job_claimed: "Job claimed",
    job_planned: "Job planned",
    part_delivered: "Part delivered",
    quality_completed: "Quality completed",
    quality_failed: "Quality failed",
    job_completed: "Job completed",
    job_retry_scheduled: "Job failed, retry scheduled",
    job_failed: "Job failed",
    job_released: "Job released by its worker",
    job_lost: "Job recovered from a lost worker",
    job_cancelled: "Job cancelled",
    job_requeued: "Job requeued",
    job_priority_changed: "Job priority changed",
    late_report: "Late report ignored",
    worker_invited: "Worker invited",
    worker_registered: "Worker joined",
    worker_started: "Worker started",
    worker_recovered: "Worker back online",
    worker_offline: "Worker went offline",
    worker_restarted: "Worker restarted",
    worker_stopped: "Worker stopped",
    worker_disabled: "Worker disabled",
    worker_enabled: "Worker enabled",
    worker_draining: "Worker draining",
    worker_key_rotated: "Worker key rotated",
    worker_key_revoked: "Worker key revoked",
    worker_deleted: "Worker removed",
    gpu_quarantined: "GPU quarantined",
    gpu_recovered: "GPU recovered",
    sandbox_incomplete: "Sandbox incomplete",
    sandbox_complete: "Sandbox complete again",
    queue_paused: "Queue paused",
    queue_resumed: "Queue resumed",
    queue_cleared: "Job history cleared",
    queue_imported: "Queue imported",
    queue_changed: "Queue settings changed",
    cleanup_run: "Cleanup finished",
    farm_backed_up: "Backup created",
    farm_restored: "Farm restored from a backup",
    token_created: "Token created",
    token_revoked: "Token revoked",
    logged_in: "Logged in",
    login_failed: "Login failed",
    logged_out: "Logged out",
    collection_created: "Collection created",
    collection_changed: "Collection changed",
    collection_deleted: "Collection deleted",
    intake_queued: "Import queued",
    intake_done: "Import completed",
    intake_failed: "Import failed",
    intake_cancelled: "Import cancelled",
    intake_retried: "Import retried",
    alert_raised: "Alert raised",
    alert_recovered: "Alert resolved",
    alert_endpoint_created: "Alert endpoint added",
    alert_endpoint_changed: "Alert endpoint changed",
    alert_endpoint_deleted: "Alert endpoint deleted",
    alert_endpoint_tested: "Alert endpoint tested",
    alert_secret_rotated: "Alert endpoint secret rotated",
    alert_delivery_replayed: "Alert sent again",
  },
  attempt: (number: number) => `attempt ${number}`,
} as const;
