/** What happened, in a few words each: for lists of everything. */
import type { EventKind, FarmEvent } from "@/api/types";
import { commonTexts } from "@/texts/common";
import { capital } from "./sentence";

const names: Record<EventKind, string> = commonTexts.events;

/** Every kind with its name, in the order of the alphabet. */
export const eventKinds: readonly { value: EventKind; label: string }[] = Object.entries(names)
  .map(([value, label]) => ({ value: value as EventKind, label }))
  .sort((a, b) => a.label.localeCompare(b.label));

export function isEventKind(kind: string): kind is EventKind {
  return Object.hasOwn(names, kind);
}

/** A newer server may know more kinds: those are told by their name. */
export function eventName(kind: EventKind): string {
  return names[kind] ?? capital(kind.replaceAll("_", " "));
}

/** "attempt 2"; a first attempt is nothing special. */
export function laterAttempt(data: FarmEvent["data"]): string | null {
  const attempt = data?.attempt ?? 1;
  return attempt > 1 ? commonTexts.attempt(attempt) : null;
}
