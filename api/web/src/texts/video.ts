/**
 * Texts of the page of one video.
 * Edit what stands in quotes or backticks. The page fills in each ${…}; `count(files, "file")` becomes "1 file" or
 * "2 files".
 */
import { count } from "@/format/count";

export const videoTexts = {
  // The top of the page
  title: "Video",
  backToVideos: "Videos",
  added: "added",
  cancelled: "Cancelled",
  loadingFailed: "Could not load the video",
  missing: {
    title: "Video not found",
    hint: "It may have been deleted, or the link is wrong.",
    link: "Go to videos",
  },

  // Buttons and menu items
  retry: "Retry",
  cancel: "Cancel",
  transcodeAgain: "Transcode again",
  noOriginal: "The original file was removed by the retention policy. The video plays but cannot be transcoded again.",
  rename: "Rename",
  copyPlaybackUrl: "Copy playback URL",
  downloadOriginal: "Download original",
  delete: "Delete",
  moreActions: "More actions",
  // In menus: those that open a dialog
  menu: {
    cancelTranscoding: "Cancel transcoding…",
    transcodeAgain: "Transcode again…",
    rename: "Rename…",
    changeCollection: "Change collection…",
  },
  save: "Save",
  close: "Close",
  undo: "Undo",

  // What the buttons say afterwards: of one video, and in "3 videos deleted."
  noun: "video",
  requeued: {
    one: (title: string) => `Requeued “${title}”.`,
    failed: (title: string) => `Could not retry “${title}”`,
    many: "requeued",
  },
  stopped: {
    one: (title: string) => `Cancelled transcoding of “${title}”.`,
    failed: (title: string) => `Could not cancel transcoding of “${title}”`,
    many: "cancelled",
  },
  deleted: {
    one: (title: string) => `Deleted “${title}”.`,
    failed: (title: string) => `Could not delete “${title}”`,
    many: "deleted",
  },
  restored: {
    one: (title: string) => `Restored “${title}”.`,
    failed: (title: string) => `Could not restore “${title}”`,
    many: "restored",
  },
  videosDeleted: (videos: number) => `Deleted ${count(videos, "video")}.`,
  renameFailed: "Could not rename the video",
  collectionFailed: "Could not change the collection",
  transcodeAgainFailed: "Could not transcode the video again",
  urlCopied: "Playback URL copied.",
  copyDenied: "Clipboard access denied",

  // Dialogs
  cancelDialog: {
    title: "Cancel transcoding",
    titleMany: (videos: number) => `Cancel transcoding of ${count(videos, "video")}`,
    workIsKept: "Finished work is kept, and a retry continues from there.",
    versionStays: "The current version stays available.",
    versionsStay: "Videos that already play stay available.",
    confirm: "Cancel transcoding",
  },
  renameDialog: {
    title: "Rename",
    field: "Title",
  },
  collectionDialog: {
    title: "Collection",
    field: "Collection",
    hint: "A new name creates a new collection. Leave blank for none.",
  },
  transcodeAgainDialog: {
    title: "Transcode again",
    hint: "The video keeps playing. The new version replaces it when complete.",
    qualities: "Qualities",
    all: "All",
    selected: "Selected",
    selectedQualities: "Selected qualities",
    priority: "Priority",
    high: "High: before other jobs",
    normal: "Normal",
    low: "Low: after other jobs",
  },

  // The player
  player: {
    video: "Video player",
    audio: "Audio player",
    loading: "Loading player",
    tryAgain: "Try again",
    newVersion: "A new version is ready. You are watching the previous one.",
    reload: "Reload",
    track: (number: number) => `Track ${number}`,
    subtitles: (number: number) => `Subtitles ${number}`,
    forced: (subtitles: string) => `${subtitles} (forced)`,
  },
  playbackProblems: {
    unsupported: {
      title: "This browser cannot play the video",
      advice: "It supports neither Media Source Extensions nor HLS. Use a newer browser, or download the original.",
    },
    media: {
      title: "The browser could not decode the video",
      advice: "Try again, or select another quality.",
    },
    other: {
      title: "Playback stopped",
      advice: "Try again.",
    },
    denied: {
      title: "You are not allowed to watch this video",
      advice: "Log in again, then try again.",
    },
    missing: {
      title: "Part of the video is missing",
      advice: "It may have been replaced or deleted. Try again to load the current version.",
    },
    server: {
      title: "The server could not deliver the video",
      advice: "See the server log for the reason. Try again in a moment.",
    },
    network: {
      title: "Could not load the video",
      advice: "Check that the server is running and that you are online.",
    },
  },

  // The progress of a transcode
  progress: {
    label: "Progress",
    overall: "Overall progress",
    waiting: "Waiting",
    waitingAgain: "Waiting to transcode again",
    starting: "Starting",
    transcodingAgain: "Transcoding again",
    onWorker: (worker: string) => `On ${worker}.`,
    noHeartbeat: "No heartbeat from the worker. Another worker takes over if this continues.",
    readyIn: (time: string) => `Ready in: ${time}.`,
    doneIn: (time: string) => `Done in: ${time}.`,
    attempt: (number: number) => `Attempt ${number}.`,
    versionStays: "The current version keeps playing until the new one is complete.",
    encoderLog: "Encoder log",
    // For screen readers
    spokenDoneIn: (time: string) => `done in ${time}`,
    spokenCancelled: "Cancelled",
    spokenFailed: (reason: string) => `Failed. ${reason}`,
    spokenReady: "Ready to play",
  },

  // When a transcode failed: what happened, and what to do
  failure: {
    label: "What went wrong",
    previousVersion: "The new version failed. The previous version still plays.",
    retry: "Retry",
    uploadAgain: "Upload again",
    noMessage: "Failed without an error message.",
    notAVideo: "The file is not a video.",
    otherAdvice: "Retry. If it fails again, check the video's processing history.",
  },
  failures: {
    input_missing: {
      reason: "The original file is missing.",
      advice: "Upload it again.",
    },
    input_denied: {
      reason: "The original file cannot be read.",
      advice: "Check the storage permissions, then retry.",
    },
    input_invalid: {
      advice: "Retrying won't help. Check that the file plays on your computer, re-export it and upload it again.",
    },
    encoder: {
      reason: "The encoder failed.",
      advice: "Retry. If it fails again, run framefarm-worker doctor on that worker.",
    },
    gpu_busy: {
      reason: "All encoders of the GPU were in use.",
      advice: "No action needed: the job is retried automatically.",
    },
    transfer: {
      reason: "The connection between the worker and the server failed.",
      advice: "Check the worker's network, then retry.",
    },
    storage: {
      reason: "The storage failed.",
      advice: "Check for free space and disk errors, then retry.",
    },
    timeout: {
      reason: "No progress for too long.",
      advice: "Retry. If it happens again, check that worker.",
    },
    internal: {
      reason: "Internal error in Framefarm.",
      advice: "Retry. If it happens again, please report it with the technical details.",
    },
    poison: {
      reason: "The job crashed its worker too often.",
      advice: "The file may need more memory than the workers have. Add memory, then retry.",
    },
    cancelled: {
      reason: "Transcoding was cancelled.",
      advice: "Retry to start it again. Finished work is kept.",
    },
  },
  technical: {
    title: "Technical details",
    copy: "technical details",
    job: "Job",
    attempt: "Attempt",
    attempts: "Attempts",
    fence: "Fence",
    worker: "Worker",
    video: "Video",
    started: "Started",
    ended: "Ended",
    errorClass: "Error class",
    error: "Error",
  },

  renditions: {
    title: "Qualities",
    scrollArea: "Qualities, all columns",
    newVersion: "New version in progress.",
    name: "Quality",
    status: "Status",
    progress: "Progress",
    segments: "Segments",
    bitrate: "Bitrate",
    size: "Size",
    codec: "Codec",
    skipped: (qualities: string) => `Skipped (source is smaller): ${qualities}`,
  },

  // The jobs of the video, and their attempts
  history: {
    title: "Processing history",
    jobs: "Jobs",
    job: (number: number, kind: string) => `Job ${number}, ${kind}`,
    jobWithVersion: (number: number, kind: string, version: number) => `Job ${number}, ${kind}, version ${version}`,
    showOlder: (jobs: number) => `Show ${count(jobs, "older job")}`,
    noAttempts: "No worker has picked it up yet.",
    attemptsOf: (job: number) => `Attempts of job ${job}`,
    downloadLog: "Download log",
    downloadLogOf: (job: number) => `Download log of job ${job}`,
    took: (time: string) => `took ${time}`,
    runningFor: (time: string) => `running for ${time}`,
    running: "Running",
    completed: "Done",
    failed: "Failed",
    released: "Released",
    lost: "Worker lost",
    cancelled: "Cancelled",
    superseded: "Superseded",
    exported: "Exported while running",
  },

  details: {
    title: "Details",
    file: "File",
    size: "Size",
    bytes: (bytes: string) => `${bytes} bytes`,
    duration: "Duration",
    resolution: "Resolution",
    audioOnly: "Audio only",
    frameRate: "Frame rate",
    audio: "Audio",
    subtitles: "Subtitles",
    track: (number: number) => `Track ${number}`,
    collection: "Collection",
    noCollection: "None",
    changeCollection: "Change",
    requestedQualities: "Requested qualities",
    added: "Added",
    ready: "Ready",
    version: "Version",
    original: "Original",
    originalRemoved: (time: string) => `Removed on ${time} by the retention policy`,
    sha256: "SHA-256",
  },

  share: {
    title: "Share & embed",
    playbackUrl: "Playback URL (HLS)",
    copyPlaybackUrl: "playback URL",
    embedCode: "Embed code",
    copyEmbedCode: "embed code",
    embedHint: "Browsers without native HLS support need a player such as hls.js.",
  },

  // What happened to the video, newest first; `who` is "admin", "token ci", "gpu-1", "the worker" or "Framefarm"
  activity: {
    title: "Activity",
    pause: "Pause updates",
    resume: "Resume updates",
    resumeWithNew: (events: number) => `Resume updates (${events} new)`,
    showOlder: "Show older",
    farm: "Framefarm",
    theWorker: "the worker",
    token: (name: string) => `token ${name}`,

    queued: (who: string) => `Queued by ${who}`,
    transcodeAgain: (who: string) => `Re-transcode requested by ${who}`,
    pickedUp: (worker: string) => `Picked up by ${worker}`,
    pickedUpAgain: (worker: string, attempt: string) => `Picked up by ${worker}, ${attempt}`,
    planned: "Planned",
    plannedSegments: (segments: number) => `Planned: ${count(segments, "segment")} per quality`,
    delivered: "Segments delivered",
    segmentDelivered: (quality: string, segment: number) => `${quality}: segment ${segment} delivered`,
    segmentsDelivered: (quality: string, first: number, last: number) =>
      `${quality}: segments ${first}–${last} delivered`,
    allDelivered: (segments: number) => `${count(segments, "segment")} delivered`,
    deliveredOf: (quality: string, segments: number) => `${quality}: ${segments}`,
    aQuality: "A quality",
    qualityDone: (quality: string) => `${quality} is done`,
    qualityFailed: (quality: string) => `${quality} failed`,
    done: "Done",
    retrying: "Attempt failed, retrying automatically",
    failed: "Failed permanently",
    released: (worker: string) => `Released by ${worker}, no work lost`,
    workerLost: "Worker lost, another one takes over",
    namedWorkerLost: (worker: string) => `Worker ${worker} lost, another one takes over`,
    cancelled: (who: string) => `Cancelled by ${who}`,
    retried: (who: string) => `Retried by ${who}`,
    priority: (priority: number, who: string) => `Priority set to ${priority} by ${who}`,
    priorityChanged: (who: string) => `Priority changed by ${who}`,
    lateReport: "Late report ignored",
  },
} as const;
