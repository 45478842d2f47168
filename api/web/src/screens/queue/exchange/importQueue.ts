/** A queue out of a file: an export, or a list of others. */
import { api, body } from "@/api/client";
import type { ImportReport } from "@/api/types";

/** With `dryRun` it only says what would happen. */
export function importQueue(file: File, dryRun: boolean): Promise<ImportReport> {
  return body(
    api.POST("/api/queue/import", {
      params: { query: { dry_run: dryRun } },
      headers: { "Content-Type": file.name.toLowerCase().endsWith(".csv") ? "text/csv" : "application/json" },
      // The file goes as it is; it may be large.
      body: file as never,
      bodySerializer: () => file,
    }),
  );
}
