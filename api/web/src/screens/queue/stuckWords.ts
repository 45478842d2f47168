import type { StuckReason } from "@/api/types";
import type { Words } from "@/format/words";

export const stuckWords: Record<StuckReason, Words> = {
  worker_gone: { label: "Worker is gone", tone: "bad" },
  lease_expired: { label: "Worker silent", tone: "warning" },
  no_progress: { label: "Nothing moves", tone: "warning" },
  slow: { label: "Slow", tone: "neutral" },
};
