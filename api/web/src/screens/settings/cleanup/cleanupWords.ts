/** What a clean-up removes, in plain words. */
import type { Cleaned, CleanupReport } from "@/api/types";
import { formatBytes } from "@/format/bytes";

interface KindWords {
  label: string;
  one: string;
  many: string;
}

export const cleanupWords: Record<Cleaned["kind"], KindWords> = {
  uploads: { label: "Uploads that stopped", one: "upload", many: "uploads" },
  leftovers: { label: "Left by failed jobs", one: "job", many: "jobs" },
  sources: { label: "Originals", one: "original file", many: "original files" },
  completed_jobs: { label: "Finished jobs", one: "job in the history", many: "jobs in the history" },
  failed_jobs: { label: "Failed jobs", one: "job in the history", many: "jobs in the history" },
  events: { label: "Events", one: "entry of the audit log", many: "entries of the audit log" },
  intakes: { label: "Fetched files", one: "entry of what was fetched", many: "entries of what was fetched" },
  alert_deliveries: { label: "Alert deliveries", one: "entry of the log", many: "entries of the log" },
  sessions: { label: "Logins", one: "login that ended", many: "logins that ended" },
  invitations: { label: "Join commands", one: "join command that ended", many: "join commands that ended" },
  deleted_videos: { label: "Deleted videos", one: "video", many: "videos" },
  garbage: { label: "Replaced files", one: "file", many: "files" },
  orphans: { label: "Files of nothing", one: "file", many: "files" },
};

/** The kinds of which there is something. */
export function found({ kinds }: Pick<CleanupReport, "kinds">): Cleaned[] {
  return kinds.filter(({ count }) => count > 0);
}

/** "3 GB would be freed.", "Nothing was removed." */
export function totalWords({ dry_run, kinds }: Pick<CleanupReport, "dry_run" | "kinds">): string {
  const bytes = kinds.reduce((total, kind) => total + kind.bytes, 0);
  if (found({ kinds }).length === 0) return dry_run ? "There is nothing to remove." : "There was nothing to remove.";
  if (bytes === 0)
    return dry_run ? "These would go; no files are among them." : "These are gone; no files were among them.";
  return dry_run ? `These would go, ${formatBytes(bytes)} in all.` : `These are gone, ${formatBytes(bytes)} in all.`;
}
