import type { Attempt, AttemptOutcome } from "@/api/types";
import { formatSpan } from "@/format/duration";
import type { Words } from "@/format/words";
import { videoTexts } from "@/texts/video";

const texts = videoTexts.history;

const outcomes: Record<AttemptOutcome, Words> = {
  completed: { label: texts.completed, tone: "good" },
  failed: { label: texts.failed, tone: "bad" },
  released: { label: texts.released, tone: "neutral" },
  lost: { label: texts.lost, tone: "warning" },
  cancelled: { label: texts.cancelled, tone: "neutral" },
  superseded: { label: texts.superseded, tone: "neutral" },
  exported: { label: texts.exported, tone: "neutral" },
};

/** A newer server may know more outcomes: those are shown by their name. */
export function outcomeWords({ outcome }: Pick<Attempt, "outcome">): Words {
  if (outcome == null) return { label: texts.running, tone: "active" };
  return outcomes[outcome] ?? { label: outcome, tone: "neutral" };
}

/** How long an attempt took, or takes so far. */
export function attemptLength({ started_at, ended_at }: Pick<Attempt, "started_at" | "ended_at">, now: number): string {
  const end = ended_at ? Date.parse(ended_at) : now;
  return formatSpan((end - Date.parse(started_at)) / 1000);
}
