/** The types of alerts in plain words: what each means, and when it is told. */
import type { AlertType } from "@/api/types";
import { count } from "@/format/count";
import { capital } from "@/format/sentence";

interface AlertText {
  label: string;
  /** When it is told. */
  when: string;
}

const texts: Record<AlertType, AlertText> = {
  video_ready: { label: "Video ready", when: "A video plays, or plays anew." },
  video_failed: { label: "Video failed", when: "A video failed for good." },
  stale_job_recovered: {
    label: "Job taken back",
    when: "A job was taken from a worker that is gone, and waits again.",
  },
  job_max_retries_exceeded: { label: "Job given up", when: "A job used up its attempts." },
  job_failed_pattern: { label: "Jobs fail alike", when: "Several runs failed for the same reason within 10 minutes." },
  worker_startup: { label: "Worker started", when: "The process of a worker began." },
  worker_shutdown: { label: "Worker stopped", when: "A worker said that it stops." },
  worker_offline: { label: "Worker offline", when: "A worker fell silent." },
  gpu_quarantined: { label: "GPU takes no work", when: "A graphics card failed and takes no work." },
  sandbox_incomplete: {
    label: "Sandbox incomplete",
    when: "A worker lacks a layer of the sandbox that it opens uploads in.",
  },
  queue_depth_high: { label: "Queue very long", when: "More than 10,000 jobs wait." },
  error_rate_high: { label: "Many jobs fail", when: "More than 10% of the last 100 jobs failed." },
  no_dequeue: { label: "Nothing is taken", when: "A job is due for a minute, and no worker takes one." },
  disk_low: { label: "Disk nearly full", when: "The disk is close to the room that is kept free." },
  redis_down: { label: "Redis is down", when: "Redis failed three times and is left alone." },
};

export interface AlertGroup {
  label: string;
  types: readonly AlertType[];
}

/** In the order in which people look for them. */
export const alertGroups: readonly AlertGroup[] = [
  { label: "Videos", types: ["video_ready", "video_failed"] },
  {
    label: "Jobs",
    types: ["job_max_retries_exceeded", "job_failed_pattern", "error_rate_high", "stale_job_recovered"],
  },
  {
    label: "Workers",
    types: ["worker_offline", "gpu_quarantined", "sandbox_incomplete", "worker_startup", "worker_shutdown"],
  },
  { label: "Server", types: ["no_dequeue", "queue_depth_high", "disk_low", "redis_down"] },
];

/** A newer server may know more types: those are told by their name. */
export function alertLabel(type: AlertType): string {
  return texts[type]?.label ?? capital(type.replaceAll("_", " "));
}

export function alertMeaning(type: AlertType): string {
  return texts[type]?.when ?? "";
}

const allTypes = alertGroups.flatMap(({ types }) => types);
const ONLY_IF_ASKED: ReadonlySet<AlertType> = new Set(["worker_startup", "worker_shutdown", "video_ready"]);

/** What an endpoint hears of that did not choose. */
export const usualTypes: readonly AlertType[] = allTypes.filter((type) => !ONLY_IF_ASKED.has(type));

export function isUsual(types: readonly AlertType[]): boolean {
  return types.length === usualTypes.length && usualTypes.every((type) => types.includes(type));
}

/** "All problems", "All alerts", "Video failed, Disk nearly full", "Video failed and 4 more". */
export function chosenWords(types: readonly AlertType[]): string {
  if (isUsual(types)) return "All problems";
  if (types.length >= allTypes.length) return "All alerts";
  const [first = "Nothing", second] = types.map(alertLabel);
  if (types.length > 2) return `${first} and ${types.length - 1} more`;
  return second ? `${first}, ${second}` : first;
}

/** Of those that came within the pause after the last message. */
export function keptBackWords(suppressed: number): string {
  return `${count(suppressed, "more was", "more were")} held back; the next message counts them.`;
}
