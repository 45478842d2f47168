import type { StuckReason } from "@/api/types";
import type { Words } from "@/format/words";
import { queueTexts as texts } from "@/texts/queue";

export const stuckWords: Record<StuckReason, Words> = {
  worker_gone: { label: texts.stuck.reasons.worker_gone, tone: "bad" },
  lease_expired: { label: texts.stuck.reasons.lease_expired, tone: "warning" },
  no_progress: { label: texts.stuck.reasons.no_progress, tone: "warning" },
  slow: { label: texts.stuck.reasons.slow, tone: "neutral" },
};
