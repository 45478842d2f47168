import type { Attempt } from "@/api/types";
import { formatSpan } from "@/format/duration";
import type { Words } from "@/format/words";

const outcomes: Record<string, Words> = {
  completed: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  released: { label: "Handed back", tone: "neutral" },
  lost: { label: "Worker lost", tone: "warning" },
  cancelled: { label: "Cancelled", tone: "neutral" },
};

export function outcomeWords({ outcome }: Pick<Attempt, "outcome">): Words {
  if (outcome == null) return { label: "Running", tone: "active" };
  return outcomes[outcome] ?? { label: outcome, tone: "neutral" };
}

/** How long an attempt took, or takes so far. */
export function attemptLength({ started_at, ended_at }: Pick<Attempt, "started_at" | "ended_at">, now: number): string {
  const end = ended_at ? Date.parse(ended_at) : now;
  return formatSpan((end - Date.parse(started_at)) / 1000);
}
