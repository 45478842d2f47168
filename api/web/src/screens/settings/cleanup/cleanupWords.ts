/** What a clean-up removes, in plain words. */
import type { Cleaned, CleanupReport } from "@/api/types";
import { formatBytes } from "@/format/bytes";
import { settingsTexts } from "@/texts/settings";

const texts = settingsTexts.cleanup;

/** The kinds of which there is something. */
export function found({ kinds }: Pick<CleanupReport, "kinds">): Cleaned[] {
  return kinds.filter(({ count }) => count > 0);
}

/** "3 GB will be freed.", "Nothing was removed." */
export function totalWords({ dry_run, kinds }: Pick<CleanupReport, "dry_run" | "kinds">): string {
  const bytes = kinds.reduce((total, kind) => total + kind.bytes, 0);
  if (found({ kinds }).length === 0) return dry_run ? texts.nothing : texts.nothingRemoved;
  if (bytes === 0) return dry_run ? texts.willRemoveNoFiles : texts.removedNoFiles;
  return dry_run ? texts.willFree(formatBytes(bytes)) : texts.freed(formatBytes(bytes));
}
