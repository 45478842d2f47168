/**
 * The texts of the Alerts screen, from top to bottom.
 *
 * A text that depends on a value is written `(name) => ...`, with the value as `${name}` inside it.
 * `count(3, "alert")` is "3 alerts", and "1 alert" for one. `Thresholds` are settings of the server.
 */
import type { Thresholds } from "@/api/types";
import { count, formatNumber } from "@/format/count";

export const alertsTexts = {
  title: "Alerts",
  subtitle: "Active alerts and notification channels.",
  addEndpoint: "Add endpoint",

  // What is wrong at this moment.
  active: {
    title: "Active alerts",
    loadError: "Could not load the alerts",
    none: "No active alerts.",
    /** Read aloud: "2 active alerts: Disk nearly full, Worker offline" */
    spoken: (alerts: number, names: string) => `${count(alerts, "active alert")}: ${names}`,
    /** Behind the text of an alert, followed by a time: "Started 4 min ago." */
    started: "Started",
    more: (alerts: number) => `And ${formatNumber(alerts)} more.`,
    suppressed: (alerts: number) => `${formatNumber(alerts)} more suppressed; the next message includes the count.`,
  },

  // Every type of alert, with what raises it.
  typesTitle: "Alert types",
  neverRaised: "never raised",
  /** Followed by a time: "raised 3 times, last 4 min ago" */
  raised: (times: number) => `raised ${count(times, "time")}, last`,
  types: {
    video_ready: { label: "Video ready", when: "A video became ready, or a re-transcode finished." },
    video_failed: { label: "Video failed", when: "A video failed permanently." },
    stale_job_recovered: {
      label: "Job recovered",
      when: "The worker of a job was lost; the job is back in the queue.",
    },
    job_max_retries_exceeded: { label: "Retries exhausted", when: "A job used all its attempts." },
    job_failed_pattern: {
      label: "Repeated failures",
      when: ({ pattern_worker, pattern_farm, pattern_minutes }: Thresholds) =>
        `${pattern_worker} attempts on one worker, or ${pattern_farm} on all workers, failed for the same reason within ${count(pattern_minutes, "minute")}.`,
    },
    worker_startup: { label: "Worker started", when: "A worker process started." },
    worker_shutdown: { label: "Worker stopped", when: "A worker reported that it is shutting down." },
    worker_offline: { label: "Worker offline", when: "A worker stopped sending heartbeats." },
    gpu_quarantined: { label: "GPU quarantined", when: "A GPU failed and gets no jobs until it recovers." },
    sandbox_incomplete: {
      label: "Sandbox incomplete",
      when: "A worker lacks a layer of the sandbox in which it opens uploads.",
    },
    queue_depth_high: {
      label: "Queue depth is high",
      when: ({ queue_depth }: Thresholds) => `More than ${count(queue_depth, "job is", "jobs are")} waiting.`,
    },
    error_rate_high: {
      label: "Failure rate is high",
      when: ({ error_rate_percent }: Thresholds) => `More than ${error_rate_percent}% of the last 100 jobs failed.`,
    },
    no_dequeue: {
      label: "No worker is claiming jobs",
      when: ({ no_claim_seconds }: Thresholds) =>
        `A job has been due for ${no_claim_seconds} s, and no worker has claimed one.`,
    },
    disk_low: { label: "Disk nearly full", when: "Free disk space is close to the reserved space." },
    redis_down: {
      label: "Redis is down",
      when: "Redis failed three times; the farm is using the database instead.",
    },
  },
  groups: {
    videos: "Videos",
    jobs: "Jobs",
    workers: "Workers",
    server: "Server",
  },
  // Which of them an endpoint gets: "Disk nearly full and 2 more".
  chosen: {
    problems: "All problems",
    all: "All alerts",
    none: "None",
    two: (first: string, second: string) => `${first}, ${second}`,
    more: (first: string, others: number) => `${first} and ${others} more`,
  },

  endpoints: {
    title: "Endpoints",
    description: "Slack and Discord channels, and services that receive signed webhooks.",
    loadError: "Could not load the endpoints",
    none: "No endpoints yet",
    noneText:
      "Create an incoming webhook in Slack or Discord and paste its URL here, or enter the URL of your own service.",
    addFirst: "Add first endpoint",
  },
  kinds: {
    slack: "Slack",
    discord: "Discord",
    generic: "Signed webhook",
  },
  unsignedWebhook: "Webhook",

  // One endpoint.
  endpoint: {
    enabled: "Enabled",
    disabled: "Disabled",
    paused: "Paused",
    failing: "Failing",
    /** "Slack to https://hooks.slack.com/… · All problems" */
    summary: (kind: string, address: string, alerts: string) => `${kind} to ${address} · ${alerts}`,
    /** Around a countdown: "It failed several times in a row. Retrying in 00:28." */
    retrying: "It failed several times in a row. Retrying in",
    fromSettings: "From the server settings; change it there.",
    sendTest: "Send test",
    sendTestTo: (name: string) => `Send test to ${name}`,
    menu: (name: string) => `Actions for ${name}`,
    edit: "Edit…",
    rotateSecret: "Rotate secret…",
    enable: "Enable",
    disable: "Disable",
    delete: "Delete…",
  },
  test: {
    delivered: "Test delivered",
    failed: "Test failed",
    nothingSent: "Nothing was sent.",
    notSent: "Could not send the test",
  },
  enable: {
    enabled: (name: string) => `Enabled ${name}.`,
    disabled: (name: string) => `Disabled ${name}.`,
    failed: "Could not enable or disable the endpoint",
  },
  delete: {
    title: (name: string) => `Delete ${name}`,
    text: "It gets no more alerts, and its deliveries are deleted from the log. This cannot be undone.",
    confirm: "Delete endpoint",
    done: (name: string) => `Deleted ${name}.`,
    failed: "Could not delete the endpoint",
  },
  rotate: {
    title: (name: string) => `Rotate the secret of ${name}`,
    text: "For a while, messages are signed with both secrets, so that the receiver can switch without a gap.",
    confirm: "Rotate secret",
    newSecret: "New secret",
    failed: "Could not rotate the secret",
  },
  secret: {
    shownOnce: (name: string) => `The secret of ${name}. Copy it now: it is not shown again.`,
    copy: "secret",
    use: "The receiver verifies the signature of each message with it (Standard Webhooks).",
    oldUntil: (time: string) => ` The old secret stays valid until ${time}.`,
  },

  // The dialog for a new endpoint, or to edit one.
  form: {
    titleNew: "Add endpoint",
    titleEdit: (name: string) => `Edit ${name}`,
    url: "URL",
    urlHelpNew: "The URL of an incoming webhook in Slack or Discord, or of your own service.",
    urlHelpEdit: (address: string) => `Currently ${address}. Leave blank to keep it.`,
    urlPlaceholder: "https://",
    wrongUrl: "Enter a URL that begins with https://",
    kind: "Type",
    autoDetect: "Auto-detect",
    autoDetected: (kind: string) => `Auto-detect: ${kind}`,
    name: "Name",
    nameHelp: "Shown on this page. Blank = taken from the URL.",
    nameMissing: "Enter a name",
    events: "Events",
    allProblems: "All problems",
    allProblemsHelp: "All except success events.",
    selected: "Selected events",
    choose: "Events to send",
    selectOne: "Select at least one",
    notAdded: "Could not add the endpoint",
    notChanged: "Could not change the endpoint",
    cancel: "Cancel",
    save: "Save",
    add: "Add endpoint",
  },

  // The log of what was sent.
  deliveries: {
    title: "Deliveries",
    description: "Messages and their outcomes, newest first.",
    loadError: "Could not load the deliveries",
    endpoint: "Endpoint",
    anyEndpoint: "Any endpoint",
    status: "Status",
    anyStatus: "Any status",
    noMatch: "No matching deliveries",
    noMatchText: "Try another endpoint or status.",
    none: "No deliveries yet",
    noneText: "Send a test to an endpoint to see one here.",
    loadOlder: "Load older",
  },
  // One delivery: "to billing, 4 min ago · 2 attempts · HTTP 503 · next attempt in 00:28 · resent manually".
  delivery: {
    pending: "Pending",
    delivered: "Delivered",
    failed: "Failed",
    to: (endpoint: string) => `to ${endpoint},`,
    attempts: (attempts: number) => count(attempts, "attempt"),
    http: (status: number) => `HTTP ${status}`,
    noResponse: "no response",
    nextAttempt: "next attempt in",
    resent: "resent manually",
    sendAgain: "Send again",
    sendAgainTo: (endpoint: string, what: string) => `Send again to ${endpoint}: ${what}`,
    sendingAgain: (endpoint: string) => `Sending to ${endpoint} again.`,
    notSentAgain: "Could not send it again",
    details: "Attempts and message",
    /** Read aloud behind it. */
    detailsOf: (endpoint: string, what: string) => ` to ${endpoint}: ${what}`,
    detailsError: "Could not load the delivery",
    /** "HTTP 200 (120 ms)" */
    outcome: (outcome: string, milliseconds: number) => `${outcome} (${formatNumber(milliseconds)} ms)`,
    attempt: (time: string, outcome: string) => `${time}: ${outcome}`,
    message: "Message",
  },
} as const;
