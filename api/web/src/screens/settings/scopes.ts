import type { Scope } from "@/api/types";
import { settingsTexts } from "@/texts/settings";

const { roles } = settingsTexts;

export const scopes: readonly { value: Scope; label: string; description: string }[] = [
  { value: "read", ...roles.read },
  { value: "upload", ...roles.upload },
  { value: "upload_only", ...roles.upload_only },
  { value: "manage", ...roles.manage },
  { value: "admin", ...roles.admin },
];

export function scopeLabel(scope: Scope): string {
  return scopes.find(({ value }) => value === scope)?.label ?? scope;
}
