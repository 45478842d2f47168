import type { Scope } from "@/api/types";

export const scopes: readonly { value: Scope; label: string; description: string }[] = [
  { value: "read", label: "Read", description: "Look at everything except tokens and the audit log." },
  { value: "upload", label: "Upload", description: "Read, and upload videos." },
  { value: "upload_only", label: "Upload only", description: "Upload videos and see nothing." },
  { value: "manage", label: "Manage", description: "Upload, and change videos, jobs, queues and collections." },
  { value: "admin", label: "Admin", description: "Everything that you can do on this page." },
];

export function scopeLabel(scope: Scope): string {
  return scopes.find(({ value }) => value === scope)?.label ?? scope;
}
