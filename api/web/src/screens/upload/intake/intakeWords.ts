/** The state of an import, in words. */
import type { BatchReport, Intake, IntakeKind, IntakeState } from "@/api/types";
import { formatBytes } from "@/format/bytes";
import type { Words } from "@/format/words";
import { uploadTexts } from "@/texts/upload";

const texts = uploadTexts.imports;

export const intakeStateWords: Record<IntakeState, Words> = {
  waiting: { label: texts.state.waiting, tone: "neutral" },
  fetching: { label: texts.state.fetching, tone: "active" },
  done: { label: texts.state.done, tone: "good" },
  failed: { label: texts.state.failed, tone: "bad" },
  cancelled: { label: texts.state.cancelled, tone: "neutral" },
};

export const intakeKindWords: Record<IntakeKind, string> = texts.from;

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
  return size == null
    ? texts.receivedSoFar(formatBytes(received))
    : texts.receivedOf(formatBytes(received), formatBytes(size));
}

/** "3 files queued for import. 1 file was already queued." */
export function reportWords({ accepted, duplicates }: BatchReport): string {
  const { queued, duplicates: alreadyQueued } = uploadTexts.import;
  return duplicates > 0 ? `${queued(accepted)} ${alreadyQueued(duplicates)}` : queued(accepted);
}
