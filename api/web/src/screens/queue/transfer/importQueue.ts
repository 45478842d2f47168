/** A queue out of a file: an export, or a list from another system; and what its import did or would do. */
import { api, body } from "@/api/client";
import type { ImportReport, ImportRow } from "@/api/types";
import { asSentence } from "@/format/sentence";
import { queueTexts } from "@/texts/queue";

const texts = queueTexts.importDialog;

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

type Numbers = Pick<ImportReport, "imported" | "duplicate" | "refused" | "waiting_again" | "dry_run">;

/** "12 jobs will be imported. 3 already exist. 1 cannot be imported." */
export function importWords({ imported, duplicate, refused, waiting_again, dry_run }: Numbers): string {
  const parts = [dry_run ? texts.wouldImport(imported) : texts.imported(imported)];
  if (waiting_again > 0) parts.push(texts.runAgain(waiting_again));
  if (duplicate > 0) parts.push(texts.duplicates(duplicate));
  if (refused > 0) parts.push(texts.refused(refused));
  return parts.join(" ");
}

/** Those of which there is something to say. */
export function leftRows({ rows }: Pick<ImportReport, "rows">): ImportRow[] {
  return rows.filter(({ outcome }) => outcome !== "imported");
}

/** "Line 3: It already exists." */
export function rowWords({ line, job_id, detail, outcome }: ImportRow): string {
  const why = asSentence(detail ?? (outcome === "duplicate" ? texts.duplicate : texts.notImportable));
  return job_id ? texts.job(line, why) : texts.line(line, why);
}
