/** How far bringing in a file has come, in words. */
import type { BatchReport, Intake, IntakeKind, IntakeState } from "@/api/types";
import { formatBytes } from "@/format/bytes";
import { count } from "@/format/count";
import type { Words } from "@/format/words";

export const intakeStateWords: Record<IntakeState, Words> = {
  waiting: { label: "Waiting", tone: "neutral" },
  fetching: { label: "Being fetched", tone: "active" },
  done: { label: "Here", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled", tone: "neutral" },
};

export const intakeKindWords: Record<IntakeKind, string> = {
  url: "from a link",
  path: "from a folder on the server",
  watch: "from the watch folder",
};

/** The last part of where it comes from, unless somebody gave it a title. */
export function intakeName({ title, place }: Pick<Intake, "title" | "place">): string {
  return title || place.split(/[/\\]/).findLast((part) => part !== "") || place;
}

/** Null as long as the size is not known. */
export function intakePercent({ size, received }: Pick<Intake, "size" | "received">): number | null {
  return size == null || size === 0 ? null : (100 * received) / size;
}

/** "3 MB of 1.2 GB", "3 MB so far" */
export function receivedWords({ size, received }: Pick<Intake, "size" | "received">): string {
  return size == null ? `${formatBytes(received)} so far` : `${formatBytes(received)} of ${formatBytes(size)}`;
}

/** "3 files are on their way. 1 was on its way already." */
export function reportWords({ accepted, duplicates }: BatchReport): string {
  const parts = [`${count(accepted, "file is", "files are")} on ${accepted === 1 ? "its" : "their"} way.`];
  if (duplicates > 0) parts.push(`${count(duplicates, "was", "were")} on the way already.`);
  return parts.join(" ");
}
