/**
 * The texts of the Overview screen, from top to bottom.
 *
 * A text that depends on a value is written `(name) => ...`, with the value as `${name}` inside it.
 * `count(3, "job")` is "3 jobs", and "1 job" for one.
 */
import { count, formatNumber } from "@/format/count";

export const overviewTexts = {
  title: "Overview",
  loadError: "Could not load the overview",

  // The messages at the top, each only while it applies.
  noWorkers: {
    title: "No workers online",
    neverJoined: "No worker has joined this server yet. The Workers page has the command that adds one.",
    offline: (workers: number) => `${count(workers, "worker is", "workers are")} offline`,
    disabled: (workers: number) => `${count(workers, "worker is", "workers are")} disabled`,
    /** "2 workers are offline and 1 worker is disabled. Start …" */
    and: " and ",
    startOne: (known: string) => `${known}. Start or enable one, or add another.`,
    uploadsWait: "Uploaded videos wait until a worker is online.",
    jobsWait: (jobs: number) => `${count(jobs, "job is", "jobs are")} waiting for a worker.`,
    view: "View workers",
    add: "Add worker",
  },
  alerts: {
    title: (alerts: number) => count(alerts, "active alert"),
    view: "View alerts",
  },
  paused: {
    all: "The queue is paused",
    /** "Paused: transcode, captions" */
    some: (queues: string) => `Paused: ${queues}`,
    text: "Running jobs will finish. No new jobs start until the queue is resumed.",
    view: "View queue",
  },
  failedGpus: {
    title: (gpus: number) => count(gpus, "GPU is unavailable", "GPUs are unavailable"),
    more: (gpus: number) => `and ${formatNumber(gpus)} more`,
    text: "Jobs continue on other hardware. A GPU that recovers is used again automatically.",
    view: "View workers",
  },

  // The row of counts.
  videos: "Videos by status",

  // The three boxes.
  queue: {
    title: "Queue",
    running: "Running",
    waiting: "Waiting",
    failed: "Failed",
    /** Followed by its age: "40 s". */
    oldest: "Oldest job",
    /** Followed by an estimate: "4–6 min". */
    timeToClear: "Time to clear",
    empty: "Queue is empty.",
  },
  workers: {
    title: "Workers",
    all: "All workers",
    busy: "Busy",
    idle: "Idle",
    offline: "Offline",
    disabled: "Disabled",
  },
  storage: {
    title: "Storage",
    unknownSize: "The storage size is unknown.",
    noLimit: "Videos are kept in an object store. The store reports no capacity limit.",
    usedBar: "Storage used",
    usedOf: (used: string, total: string) => `${used} of ${total} used`,
    used: "Used",
    of: (used: string, total: string) => `${used} of ${total}`,
    free: "Free for uploads",
    reserved: "Reserved",
  },

  // Before the first upload, in place of everything below.
  noVideos: {
    title: "No videos yet",
    text: "Uploaded videos are transcoded as soon as a worker is free.",
    upload: "Upload a video",
  },

  running: {
    title: "Running now",
    all: (jobs: number) => `All ${formatNumber(jobs)}`,
    none: "No jobs are running.",
    progressOf: (video: string) => `Progress of ${video}`,
    /** "40%, time left: 4–6 min" */
    timeLeft: (percent: string) => `${percent}, time left:`,
    starting: "Starting",
    stepOn: (step: string, worker: string) => `${step} on ${worker}`,
    spokenMany: (jobs: number) => `${count(jobs, "job")} running.`,
    spokenOne: (video: string, percent: string) => `${video}: ${percent}.`,
  },
  failures: {
    title: "Recent failures",
    all: (jobs: number) => `All ${formatNumber(jobs)}`,
    manage: "Manage failures",
    none: "No failures.",
    noError: "Failed without an error message.",
  },
  throughput: {
    title: "Throughput",
    period: "Period",
    day: "24 hours",
    week: "7 days",
    month: "30 days",
    showChart: "Show as chart",
    showTable: "Show as table",
    none: "No jobs finished in this period.",
    /** "12 done, 1 failed" */
    jobs: (done: number, failed: number) => `${formatNumber(done)} done, ${formatNumber(failed)} failed`,
    /** "12 done, 1 failed, 3 h of video." */
    summary: (jobs: string, videoTime: string) => `${jobs}, ${videoTime} of video.`,
    chart: (summary: string) => `Throughput chart: ${summary}`,
    /** What the chart shows at one place: "Mon 14:00: 3 done, 0 failed". */
    at: (time: string, jobs: string) => `${time}: ${jobs}`,
    table: "Throughput over time",
    from: "From",
    done: "Done",
    failed: "Failed",
    videoTime: "Video time",
  },
} as const;
