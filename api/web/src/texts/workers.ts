/**
 * The texts of the Workers screen, from top to bottom.
 *
 * A text that depends on a value is written `(name) => ...`, with the value as `${name}` inside it.
 * `count(3, "job")` is "3 jobs", and "1 job" for one.
 */
import { count, formatNumber } from "@/format/count";

/** "Its 2 jobs go back to the queue …" */
function jobsGoBack(jobs: number): string {
  if (jobs === 0) return "It has no running jobs.";
  const whose = jobs === 1 ? "Its job goes" : `Its ${count(jobs, "job")} go`;
  return `${whose} back to the queue, and another worker continues from the segments already delivered.`;
}

export const workersTexts = {
  title: "Workers",
  add: "Add worker",
  none: "No workers yet",
  /** "2 of 3 workers online · 4 jobs running" */
  summary: (online: number, workers: number, jobs: number) =>
    `${formatNumber(online)} of ${count(workers, "worker")} online · ${count(jobs, "job")} running`,
  joined: (names: string) => `${names} joined.`,
  loadError: "Could not load the workers",
  empty: {
    title: "No workers yet",
    text:
      "Workers transcode the videos; without one, videos wait. The server starts a local worker unless it runs with " +
      "--no-worker. Any other machine joins with a single command.",
    create: "Create join command",
  },

  // The panel that Add worker opens.
  join: {
    title: "Add worker",
    close: "Close",
    failed: "Could not create a join command",
    intro: "Run this on the new worker machine. It needs only the framefarm-worker program.",
    copy: "join command",
    expiresIn: (time: string) => `For one worker, expires in ${time}`,
    expired: "The command has expired.",
    another: "Create another",
    joined: (names: string) => `${names} joined`,
    joinedText: "It accepts jobs from now on. The command works only once: create another one for the next worker.",
    localOnly: "This URL works only on this machine",
    /** Around a command: "… start the server with --listen 0.0.0.0:8080 and enter …" */
    localOnlyBefore: "For workers on other machines, start the server with",
    localOnlyAfter: "and enter the URL at which they reach it.",
    address: "Server URL, as the worker reaches it",
    wrongAddress: "Enter a URL like http://192.0.2.10:8080",
  },

  sandboxNotice: {
    title: "Sandbox incomplete",
    more: (workers: number) => `and ${formatNumber(workers)} more`,
    text: "Run “framefarm-worker doctor” on that machine to see how to fix it.",
  },

  // One worker.
  versionDiffers: (worker: string, server: string) => `Version ${worker}, the server has ${server}`,
  facts: {
    type: "Type",
    local: "Local",
    localHelp: "Started by the server, on the same machine",
    remote: "Remote",
    remoteHelp: "Joined over the network",
    slots: "Slots",
    slotsUsed: (used: number, slots: number) => `${formatNumber(used)} of ${formatNumber(slots)}`,
    speed: "Speed",
    speedHelp: "Seconds of video per second of work, over its latest jobs",
    /** "3.2× real time" */
    realTime: (factor: string) => `${factor}× real time`,
    version: "Version",
    lastSeen: "Last seen",
    unknown: "unknown",
    never: "never",
  },
  jobs: {
    label: (worker: string) => `Jobs of ${worker}`,
    progressOf: (video: string) => `Progress of ${video}`,
    /** Behind an estimate: "4–6 min left". */
    left: "left",
    noEstimate: "No estimate yet",
    idle: "Idle",
    offline: "Not responding. Its jobs went back to the queue.",
    disabled: "Gets no jobs until it is enabled.",
    drained: "Finished its jobs and can be stopped.",
  },

  // The machine of a worker.
  machine: {
    unknown: "The worker has not reported what its machine can do.",
    unknownSize: "Cores and memory unknown",
    cores: (cores: number) => count(cores, "core"),
    encoders: "Encoders",
    libraries: "Libraries",
    gpu: "GPU",
    unnamedGpu: "unnamed",
    noGpu: (reason: string) => `No GPU: ${reason}`,
    noGpuReasons: "Why there is no GPU",
  },
  sandbox: {
    complete: "Sandbox: complete",
    incomplete: (missing: number, layers: number) => `Sandbox: ${missing} of ${count(layers, "layer")} missing`,
    layerMissing: (layer: string, reason: string) => `${layer}: missing. ${reason}`,
    layerEnforced: (layer: string) => `${layer}: enforced`,
    noReason: "no reason given",
    layers: {
      limits: "Memory, time and file size limits",
      no_new_privs: "No new privileges",
      capabilities: "No root capabilities",
      files: "Access to its own files only",
      syscalls: "No network, no other programs",
    },
  },

  // The GPUs of a worker.
  gpus: {
    label: (worker: string) => `GPUs of ${worker}`,
    /** "16 GPUs: 14 ready, 2 lost" */
    total: (gpus: number, states: string) => `${count(gpus, "GPU")}: ${states}`,
    inState: (gpus: number, state: string) => `${formatNumber(gpus)} ${state}`,
    /** The state while its worker is offline. */
    unknownState: "Unknown",
    encoder: "Encoder",
    encoderHelp: "Encoder utilization, by all processes",
    memory: "Memory",
    temperature: "Temperature",
    degrees: (celsius: number) => `${celsius} °C`,
    sessions: "Sessions",
    sessionsHelp: "Encoder sessions that this worker has open, and the limit",
    sessionsNoLimitHelp: "Encoder sessions that this worker has open; no limit reached so far",
    noData: "no data",
    /** "2 of 8 GB" */
    of: (used: string, total: string) => `${used} of ${total}`,
    memoryTotal: (memory: string) => `${memory} total`,
    watts: (watts: string) => `${watts} W`,
    throttled: (reasons: string) => `throttled: ${reasons}`,
    otherProcesses: (processes: number) => count(processes, "other process", "other processes"),
    allSessions: (sessions: number) => `${count(sessions, "session")} in total`,
    /** Followed by a time: "updated 20 s ago". */
    updated: "updated",
    historyAndEncoders: "History and encoders",
    encoders: "Encoders",
    noEncoders: "No encoder passed its test encode.",
    encodersLabel: "Encoders that passed a test encode",
    /** "h264_nvenc 480 fps at 1080p, up to 4096 px" */
    encoderSpeed: (encoder: string, fps: string, maxSide: number) =>
      `${encoder} ${fps} fps at 1080p, up to ${maxSide} px`,
    allOnGpu: "all on the GPU",
    allOnGpuHelp: "Frames stay on the GPU from decoding to encoding",
  },
  // The chart of a GPU in words: "Last 4 s: encoder 10% to 40%, now 40%; memory 25%."
  gpuHistory: {
    none: "No history yet",
    noData: "No data yet.",
    span: (time: string) => `Last ${time}`,
    summary: (span: string, lines: string) => `${span}: ${lines}.`,
    constant: (name: string, value: string) => `${name} ${value}`,
    range: (name: string, lowest: string, highest: string) => `${name} ${lowest} to ${highest}`,
    rangeNow: (name: string, lowest: string, highest: string, now: string) =>
      `${name} ${lowest} to ${highest}, now ${now}`,
    at: (time: string, values: string) => `${time}: ${values}`,
    encoder: "encoder",
    memory: "memory",
    temperature: "temperature",
  },

  // The menu of a worker, and what its items ask and report.
  menu: {
    label: (worker: string) => `Actions for ${worker}`,
    drain: "Drain…",
    stopDraining: "Stop draining",
    enable: "Enable",
    disable: "Disable…",
    rotateKey: "Rotate key…",
    revokeKey: "Revoke key…",
    remove: "Remove…",
  },
  drain: {
    title: (worker: string) => `Drain ${worker}`,
    text: (jobs: number) => {
      const rest = jobs === 0 ? "It has no running jobs." : `It finishes its ${count(jobs, "running job")} first.`;
      return `It accepts no new jobs until you stop draining. ${rest}`;
    },
    confirm: "Drain",
    started: (worker: string) => `${worker} accepts no new jobs.`,
    stopped: (worker: string) => `${worker} accepts jobs again.`,
    failed: "Could not start or stop draining",
  },
  disable: {
    title: (worker: string) => `Disable ${worker}`,
    text: (jobs: number) => `It gets no jobs until you enable it again. ${jobsGoBack(jobs)}`,
    confirm: "Disable",
    done: (worker: string) => `Disabled ${worker}.`,
    failed: "Could not disable the worker",
  },
  enable: {
    done: (worker: string) => `Enabled ${worker}.`,
    failed: "Could not enable the worker",
  },
  rotateKey: {
    title: (worker: string) => `Rotate the key of ${worker}`,
    text: (isLocal: boolean) => {
      const next = isLocal
        ? "The server starts this worker itself and gives it a key at each start: restart the server afterwards."
        : "Give the worker the new key and start it again.";
      return (
        `The current key stops working at once, and the worker is disconnected. ${next} ` +
        "It keeps its jobs for a while; if it does not return in time, they go back to the queue."
      );
    },
    confirm: "Rotate key",
    failed: "Could not rotate the key",
    keyTitle: (worker: string) => `New key of ${worker}`,
    keyText: "Copy it now: it is not shown again.",
    keyUse:
      "Store it where the worker reads its key: in the file named by --key-file, in the environment variable " +
      "FRAMEFARM_WORKER_KEY or, if the worker joined with a command, in worker.key in its scratch directory. Then " +
      "restart the worker.",
    copy: "new key",
  },
  revokeKey: {
    title: (worker: string) => `Revoke the key of ${worker}`,
    text: (jobs: number) => `The worker cannot connect again until it gets a new key. ${jobsGoBack(jobs)}`,
    confirm: "Revoke key",
    done: (worker: string) => `Revoked the key of ${worker}.`,
    failed: "Could not revoke the key",
  },
  remove: {
    title: (worker: string) => `Remove ${worker}`,
    text: (jobs: number, isOffline: boolean) => {
      const first = isOffline
        ? "The worker is removed from the farm."
        : "The worker is removed from the farm, and disconnected if it is still running.";
      return `${first} ${jobsGoBack(jobs)} Its finished work is kept. To return, it must join again.`;
    },
    confirm: "Remove",
    done: (worker: string) => `Removed ${worker}.`,
    failed: "Could not remove the worker",
  },
} as const;
