import type { Endpoint } from "@/api/types";
import type { Words } from "@/format/words";
import { alertsTexts } from "@/texts/alerts";

const texts = alertsTexts.endpoint;

interface EndpointState {
  badge: Words;
  /** Why nothing is sent, or what went wrong last; null while all is well. */
  why: string | null;
  /** When it is tried again. */
  until: string | null;
}

export function endpointState(endpoint: Endpoint, now: number): EndpointState {
  const { enabled, disabled_reason, paused_until, failures, last_error } = endpoint;
  if (!enabled) return { badge: { label: texts.disabled, tone: "neutral" }, why: disabled_reason ?? null, until: null };
  if (paused_until && Date.parse(paused_until) > now) {
    return { badge: { label: texts.paused, tone: "warning" }, why: last_error ?? null, until: paused_until };
  }
  if (failures > 0) return { badge: { label: texts.failing, tone: "warning" }, why: last_error ?? null, until: null };
  return { badge: { label: texts.enabled, tone: "good" }, why: null, until: null };
}
