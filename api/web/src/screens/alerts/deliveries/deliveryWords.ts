/** How a delivery went, in words. */
import type { Delivery, DeliveryAttempt, DeliveryStatus } from "@/api/types";
import { formatNumber } from "@/format/count";
import type { Words } from "@/format/words";

export const deliveryStatusWords: Record<DeliveryStatus, Words> = {
  pending: { label: "On its way", tone: "active" },
  delivered: { label: "Delivered", tone: "good" },
  failed: { label: "Given up", tone: "bad" },
};

/** "answered 200, after 120 ms", "No answer within 10 s, after 10,000 ms". */
export function attemptWords({ status_code, error, duration_ms }: DeliveryAttempt): string {
  const said = error?.replace(/\.$/, "") ?? (status_code == null ? "no answer" : `answered ${status_code}`);
  return `${said}, after ${formatNumber(duration_ms)} ms`;
}

/** What is known of the last attempt: "answered 200"; null before the first. */
export function lastAnswer({ attempts, last_status_code }: Pick<Delivery, "attempts" | "last_status_code">) {
  if (last_status_code != null) return `answered ${last_status_code}`;
  return attempts > 0 ? "no answer" : null;
}
