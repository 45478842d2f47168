/** How a delivery went, in words. */
import type { Delivery, DeliveryAttempt, DeliveryStatus } from "@/api/types";
import type { Words } from "@/format/words";
import { alertsTexts } from "@/texts/alerts";

const texts = alertsTexts.delivery;

export const deliveryStatusWords: Record<DeliveryStatus, Words> = {
  pending: { label: texts.pending, tone: "active" },
  delivered: { label: texts.delivered, tone: "good" },
  failed: { label: texts.failed, tone: "bad" },
};

/** "HTTP 200 (120 ms)", "No answer within 10 s (10,000 ms)". */
export function attemptWords({ status_code, error, duration_ms }: DeliveryAttempt): string {
  const outcome = error?.replace(/\.$/, "") ?? (status_code == null ? texts.noResponse : texts.http(status_code));
  return texts.outcome(outcome, duration_ms);
}

/** What is known of the last attempt: "HTTP 200"; null before the first. */
export function lastAnswer({ attempts, last_status_code }: Pick<Delivery, "attempts" | "last_status_code">) {
  if (last_status_code != null) return texts.http(last_status_code);
  return attempts > 0 ? texts.noResponse : null;
}
