/** A new token as the form holds it, and as the API takes it. */
import type { Scope } from "@/api/types";

export interface NewTokenValues {
  name: string;
  scope: Scope;
  /** Days, or `never`. */
  expires: string;
  collection: string;
}

export const expiryChoices = [
  { value: "never", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
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
