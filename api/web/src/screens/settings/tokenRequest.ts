/** A new token as the form holds it, and as the API takes it. */
import type { Scope } from "@/api/types";
import { settingsTexts } from "@/texts/settings";

const texts = settingsTexts.newToken;

export interface NewTokenValues {
  name: string;
  scope: Scope;
  /** Days, or `never`. */
  expires: string;
  collection: string;
}

export const expiryChoices = [
  { value: "never", label: texts.never },
  { value: "7", label: texts.inDays(7) },
  { value: "30", label: texts.inDays(30) },
  { value: "90", label: texts.inDays(90) },
  { value: "365", label: texts.inOneYear },
];

const DAY_MS = 24 * 60 * 60 * 1000;

export function tokenRequest({ name, scope, expires, collection }: NewTokenValues, now: Date) {
  const days = Number(expires);
  const bound = scope === "upload_only" ? collection.trim() : "";
  return {
    name: name.trim(),
    scope,
    ...(days > 0 && { expires_at: new Date(now.getTime() + days * DAY_MS).toISOString() }),
    ...(bound && { collection: bound }),
  };
}
