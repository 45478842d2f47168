/**
 * The texts of the Queue screen, from top to bottom.
 *
 * A text that depends on a value is written `(name) => ...`, with the value as `${name}` inside it.
 * `count(3, "job")` is "3 jobs", and "1 job" for one.
 */
import { count, formatNumber } from "@/format/count";

export const queueTexts = {
  title: "Queue",
  loadError: "Could not load the queue",

  // The line under the title: "2 running · 5 waiting · 1 failed · time to clear: 4–6 min".
  summary: {
    empty: "Queue is empty",
    running: (jobs: number) => `${formatNumber(jobs)} running`,
    waiting: (jobs: number) => `${formatNumber(jobs)} waiting`,
    failed: (jobs: number) => `${formatNumber(jobs)} failed`,
    timeToClear: "time to clear:",
  },

  // The buttons beside the title.
  pause: {
    pause: "Pause",
    resume: "Resume",
    paused: "Queue paused. Running jobs will finish.",
    resumed: "Queue resumed.",
    failed: "Could not pause or resume the queue",
  },
  settings: {
    title: "Queue settings",
    queue: "Queue",
    limit: "Concurrent jobs",
    limitHelp: "Across all workers. Blank = unlimited.",
    unlimited: "Unlimited",
    onFailure: "When a job fails",
    retryAutomatically: "Retry automatically",
    retryAutomaticallyHelp: "With increasing delays, up to the job's maximum number of attempts.",
    retryManually: "Retry manually",
    retryManuallyHelp: "The job stays failed until someone retries it.",
    save: "Save",
    saved: "Queue settings saved.",
    notSaved: "Could not save the queue settings",
  },
  transfer: {
    menu: "Export and import",
    exportQueue: "Export queue",
    import: "Import…",
  },
  importDialog: {
    title: "Import jobs",
    file: "File",
    fileHelp: "A queue export (JSON), or a list of files to import (CSV or JSON).",
    chooseFile: "Choose a file",
    clearFile: "Clear the file",
    checking: "Checking the file…",
    wouldImport: (jobs: number) => `${count(jobs, "job")} will be imported.`,
    imported: (jobs: number) => `${count(jobs, "job")} imported.`,
    runAgain: (jobs: number) => `${formatNumber(jobs)} of them ran before and will run again.`,
    duplicates: (jobs: number) => `${count(jobs, "already exists", "already exist")}.`,
    refused: (jobs: number) => `${formatNumber(jobs)} cannot be imported.`,
    skipped: "Skipped rows",
    /** "Line 3: It already exists." */
    line: (number: number, why: string) => `Line ${number}: ${why}`,
    job: (number: number, why: string) => `Job ${number}: ${why}`,
    duplicate: "it already exists",
    notImportable: "it cannot be imported",
    more: (rows: number) => `And ${formatNumber(rows)} more.`,
    failed: "Could not import the file",
    close: "Close",
    confirm: (jobs: number) => `Import ${count(jobs, "job")}`,
  },

  // Messages above the jobs: why waiting jobs do not start.
  notices: {
    viewWorkers: "View workers",
    paused: "The queue is paused",
    /** "Paused: Transcode, Captions" */
    pausedSome: (queues: string) => `Paused: ${queues}`,
    pausedText: "Running jobs will finish. No new jobs start until you resume the queue.",
    noWorkers: "No workers online",
    addWorker: (jobs: number) =>
      `${count(jobs, "job is", "jobs are")} waiting. Add a worker to run ${jobs === 1 ? "it" : "them"}.`,
    startWorker: (jobs: number) =>
      `${count(jobs, "job is", "jobs are")} waiting. Start or enable a worker to run ${jobs === 1 ? "it" : "them"}.`,
    draining: "No worker accepts new jobs",
    drainingOne: "The only online worker is draining. Running jobs will finish; no new jobs start.",
    drainingMany: (workers: number) =>
      `All ${formatNumber(workers)} online workers are draining. Running jobs will finish; no new jobs start.`,
    limit: (jobs: number) => `Limit of ${count(jobs, "concurrent job")} reached`,
    limitText: (jobs: number) =>
      `${count(jobs, "job is", "jobs are")} waiting. You can change the limit in the queue settings.`,
    busy: "All workers are busy",
    busyText: (slots: number, workers: number) =>
      `${count(slots, "slot")} on ${count(workers, "worker")} ${slots === 1 ? "is" : "are"} in use. ` +
      "The next job starts when a slot is free.",
  },

  tabs: {
    label: "Jobs",
    active: "Active",
    waiting: "Waiting",
    stuck: "Long-running",
    failed: "Failed",
    done: "Done",
    cancelled: "Cancelled",
  },

  filters: {
    search: "Search by title",
    worker: "Worker",
    anyWorker: "Any worker",
    loadingWorker: "…",
    removedWorker: "Removed worker",
    noSuchWorker: "No matching worker",
    error: "Error class",
    anyError: "Any error",
    clear: "Clear filters",
  },

  // A list with nothing in it.
  empty: {
    noMatch: "No matching jobs",
    noMatchText: "Try part of a title, or another worker.",
    active: "Queue is empty",
    waiting: "No waiting jobs",
    activeText: "Uploaded videos appear here until they are ready.",
    upload: "Upload a video",
    failed: "No failed jobs",
    failedText: "Jobs that fail appear here, with the reason.",
    done: "No finished jobs yet",
    doneText: "Finished jobs appear here, newest first.",
    cancelled: "No cancelled jobs",
    cancelledText: "Cancelled jobs appear here. You can retry them.",
    stuck: (time: string) => `No jobs running longer than ${time}`,
    stuckText: "Long-running jobs appear here, with the likely cause.",
  },

  // The lists of jobs.
  lists: {
    loadError: "Could not load the jobs",
    loadMoreError: "Could not load more jobs",
    running: "Running",
    waiting: "Waiting",
    runningLabel: "Running jobs",
    waitingLabel: "Waiting jobs, in queue order",
    failedLabel: "Failed jobs, newest first",
    doneLabel: "Finished jobs, newest first",
    cancelledLabel: "Cancelled jobs, newest first",
    runningShown: (shown: number) => `${count(shown, "running job")} shown`,
    waitingShown: (shown: number, total: number) => `${formatNumber(shown)} of ${count(total, "waiting job")} shown`,
    showMore: "Show more",
    moreWaiting: (jobs: number) =>
      `${count(jobs, "more job is", "more jobs are")} waiting. Search by title to find one.`,
  },

  // One job in a list.
  job: {
    select: (video: string, job: number) => `Select ${video}, job ${job}`,
    number: (job: number) => `Job ${job}`,
    progressOf: (video: string) => `Progress of ${video}`,
    starting: "Starting",
    /** Of a running job: "attempt 2". */
    attempt: (attempt: number) => `attempt ${attempt}`,
    /** Behind an estimate: "4–6 min left". */
    left: "left",
    noEstimate: "No estimate yet",
    waiting: "Waiting",
    /** Read aloud before the place in the queue: "Position 3 of 20". */
    position: "Position",
    ofTotal: (total: number) => ` of ${formatNumber(total)}`,
    nextAttempt: (attempt: number) => `Attempt ${attempt}`,
    /** Before an estimate: "done in 4–6 min". */
    doneIn: "done in",
    startsIn: (time: string) => `starts in ${time}`,
    failed: "Failed",
    afterAttempts: (attempts: number) => `after ${count(attempts, "attempt")}`,
    noError: "Failed without an error message.",
    took: (time: string) => `took ${time}`,
    retry: "Retry",
    retryLabel: (video: string, job: number) => `Retry ${video}, job ${job}`,
  },

  // The menu of a job, and what its items ask and report.
  menu: {
    label: (video: string) => `Actions for ${video}`,
    openVideo: "Open video",
    downloadLog: "Download log",
    priority: (priority: string) => `Priority: ${priority}`,
    customPriority: "Custom…",
    retry: "Retry",
    cancel: "Cancel job…",
    requeued: (video: string) => `Requeued “${video}”.`,
    retryFailed: "Could not retry the job",
    notRetried: "The job is no longer failed, or another job does the same work.",
    cancelTitle: "Cancel job",
    cancelWaiting: (video: string) => `${video} leaves the queue. You can retry it later.`,
    cancelRunning: (video: string, worker: string) => `${worker} stops working on ${video}. You can retry it later.`,
    theWorker: "The worker",
    cancelConfirm: "Cancel job",
    cancelled: (video: string) => `Cancelled “${video}”.`,
    cancelFailed: "Could not cancel the job",
    prioritySet: (video: string, priority: string) => `Set “${video}” to priority ${priority}.`,
    priorityFailed: "Could not change the priority",
    notWaiting: "The job is no longer waiting. Only waiting jobs have a place in the queue.",
  },

  priorities: {
    high: "High",
    normal: "Normal",
    low: "Low",
    /** "High (100)" */
    withNumber: (name: string, number: number) => `${name} (${number})`,
    /** "High priority" */
    named: (name: string) => `${name} priority`,
    numbered: (number: number) => `Priority ${number}`,
  },
  priorityDialog: {
    ofVideo: (video: string) => `Priority of ${video}`,
    ofJobs: (jobs: number) => `Priority of ${count(jobs, "job")}`,
    ofAll: "Priority of all matching jobs",
    priority: "Priority",
    help: (lowest: number, highest: number) => `From ${lowest} to ${highest}. Jobs with a higher number run first.`,
    cancel: "Cancel",
    set: "Set priority",
  },

  // The bar above a list, for the jobs that are selected.
  selection: {
    selectAll: (jobs: number) => `Select all ${count(jobs, "listed job")}`,
    jobs: (jobs: number) => count(jobs, "job"),
    selected: (jobs: number) => `${formatNumber(jobs)} selected`,
    progress: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)} done`,
    retry: "Retry selected",
    priority: "Priority",
    cancel: "Cancel…",
    cancelJobs: (jobs: number) => `Cancel ${count(jobs, "job")}`,
    cancelText: "Waiting jobs leave the queue, and workers stop the running ones. You can retry them later.",
    clear: "Clear selection",
    failed: "Could not change the jobs",
  },

  // The buttons for all jobs that match, on the tabs Waiting, Failed, Done and Cancelled.
  all: {
    priority: "Priority of all",
    priorityMatching: "Priority of all matching",
    priorityTitle: (jobs: number) => `Priority of ${count(jobs, "waiting job")}`,
    priorityText: (jobs: number, priority: string) =>
      `${count(jobs, "job")} will be set to priority ${priority}, including jobs not shown yet.`,
    retry: (kind: string) => `Retry all ${kind}…`,
    retryMatching: "Retry all matching…",
    retryTitle: (jobs: number, kind: string) => `Retry ${count(jobs, `${kind} job`)}`,
    retryText: (jobs: number) =>
      `${count(jobs, "job goes", "jobs go")} back into the queue, including jobs not shown yet.`,
    retrySkips: (skipped: string) => ` Skipped: ${skipped}.`,
    retryConfirm: (jobs: number) => `Retry ${count(jobs, "job")}`,
    retryFailed: "Could not retry the jobs",
    clear: (kind: string) => `Clear ${kind}…`,
    clearMatching: "Clear all matching…",
    clearTitle: (jobs: number, kind: string) => `Clear ${count(jobs, `${kind} job`)}`,
    clearText: (jobs: number) =>
      `${count(jobs, "job")} will be removed from the history, including jobs not shown yet. ` +
      "Videos and files are kept. This cannot be undone.",
    clearConfirm: (jobs: number) => `Clear ${count(jobs, "job")}`,
    cleared: (jobs: number) => `${count(jobs, "job")} removed from the history.`,
    clearFailed: "Could not clear the history",
    nothingLeft: "No jobs match any more.",
    /** The kinds of jobs in the texts above. */
    failed: "failed",
    finished: "finished",
    cancelled: "cancelled",
  },

  // What a change of several jobs did: "10 of 12 jobs requeued. Skipped: 2 (another job does the same work)."
  report: {
    job: "job",
    requeued: "requeued",
    prioritySet: (priority: string) => `set to priority ${priority}`,
    cancelled: "cancelled",
    all: (done: number, verb: string) => `${count(done, "job")} ${verb}.`,
    some: (done: number, total: number, verb: string, skipped: string) =>
      `${formatNumber(done)} of ${count(total, "job")} ${verb}. Skipped: ${skipped}.`,
    /** "2 (another job does the same work)" */
    skipped: (jobs: number, reason: string) => `${formatNumber(jobs)} (${reason})`,
    reasons: {
      unknown: "no longer in the queue",
      not_ended: "no longer failed or cancelled",
      not_pending: "not waiting",
      same_work: "another job does the same work",
      video_deleted: "the video was deleted",
      source_gone: "the original file is missing",
    },
  },

  // The tab Long-running.
  stuck: {
    atLeast: "Running for at least",
    longerThan: (time: string) => `Longer than ${time}`,
    jobs: (jobs: number) => count(jobs, "job"),
    list: "Long-running jobs, longest first",
    runningFor: (time: string) => `running for ${time}`,
    reasons: {
      worker_gone: "Worker unavailable",
      lease_expired: "Lease expired",
      no_progress: "No progress",
      slow: "Slow",
    },
  },

  // The lines for a bug report, to copy.
  technical: {
    title: "Technical details",
    /** Read aloud behind the title. */
    ofVideo: (video: string) => ` of ${video}`,
    copy: "technical details",
    job: (number: number, id: string) => `job ${number} (${id})`,
    video: (id: string) => `video ${id}`,
    status: (status: string) => `status ${status}`,
    statusAndClass: (status: string, errorClass: string) => `status ${status}, class ${errorClass}`,
    failures: (failures: number, maxFailures: number, lost: number, maxLost: number) =>
      `failures ${failures} of ${maxFailures}, lost ${lost} of ${maxLost}`,
    error: (error: string) => `error ${error}`,
    hint: (hint: string) => `hint ${hint}`,
    running: "running",
    now: "now",
    attempt: (number: number, worker: string, start: string, end: string, result: string) =>
      `attempt ${number} on ${worker}, ${start} to ${end}: ${result}`,
  },
} as const;
