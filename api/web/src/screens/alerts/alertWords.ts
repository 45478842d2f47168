/** The types of alerts in plain words: what each means, and what raises it. */
import type { AlertType, Thresholds } from "@/api/types";
import { capital } from "@/format/sentence";
import { alertsTexts as texts } from "@/texts/alerts";

export interface AlertGroup {
  label: string;
  types: readonly AlertType[];
}

/** In the order in which people look for them. */
export const alertGroups: readonly AlertGroup[] = [
  { label: texts.groups.videos, types: ["video_ready", "video_failed"] },
  {
    label: texts.groups.jobs,
    types: ["job_max_retries_exceeded", "job_failed_pattern", "error_rate_high", "stale_job_recovered"],
  },
  {
    label: texts.groups.workers,
    types: ["worker_offline", "gpu_quarantined", "sandbox_incomplete", "worker_startup", "worker_shutdown"],
  },
  { label: texts.groups.server, types: ["no_dequeue", "queue_depth_high", "disk_low", "redis_down"] },
];

/** A newer server may know more types: those are shown by their name. */
export function alertLabel(type: AlertType): string {
  return texts.types[type]?.label ?? capital(type.replaceAll("_", " "));
}

/** What raises it; thresholds are known once the server has told them. */
export function alertMeaning(type: AlertType, thresholds: Thresholds | undefined): string {
  const when = texts.types[type]?.when ?? "";
  if (typeof when === "string") return when;
  return thresholds ? when(thresholds) : "";
}

const allTypes = alertGroups.flatMap(({ types }) => types);

/** Whether these are exactly the defaults; not while the defaults are unknown. */
export function areDefaults(types: readonly AlertType[], defaults: readonly AlertType[]): boolean {
  return types.length > 0 && types.length === defaults.length && defaults.every((type) => types.includes(type));
}

/** "All problems", "All alerts", "Video failed, Disk nearly full", "Video failed and 4 more". */
export function chosenWords(types: readonly AlertType[], defaults: readonly AlertType[]): string {
  if (areDefaults(types, defaults)) return texts.chosen.problems;
  if (types.length >= allTypes.length) return texts.chosen.all;
  const [first = texts.chosen.none, second] = types.map(alertLabel);
  if (types.length > 2) return texts.chosen.more(first, types.length - 1);
  return second ? texts.chosen.two(first, second) : first;
}
