/** What an import did or would do, in words. */
import type { ImportReport, ImportRow } from "@/api/types";
import { count, formatNumber } from "@/format/count";
import { asSentence } from "@/format/sentence";

type Numbers = Pick<ImportReport, "imported" | "duplicate" | "refused" | "waiting_again" | "dry_run">;

/** "12 jobs would be imported. 3 are here already. 1 cannot be taken." */
export function importWords({ imported, duplicate, refused, waiting_again, dry_run }: Numbers): string {
  const parts = [dry_run ? `${count(imported, "job")} would be imported.` : `${count(imported, "job")} imported.`];
  if (waiting_again > 0) parts.push(`${formatNumber(waiting_again)} of them ran before and will wait again.`);
  if (duplicate > 0) parts.push(`${count(duplicate, "is", "are")} here already.`);
  if (refused > 0) parts.push(`${formatNumber(refused)} cannot be taken.`);
  return parts.join(" ");
}

/** Those of which there is something to say. */
export function leftRows({ rows }: Pick<ImportReport, "rows">): ImportRow[] {
  return rows.filter(({ outcome }) => outcome !== "imported");
}

/** "Line 3: It is here already." */
export function rowWords({ line, job_id, detail, outcome }: ImportRow): string {
  const place = job_id ? `Job ${line}` : `Line ${line}`;
  return `${place}: ${asSentence(detail ?? (outcome === "duplicate" ? "it is here already" : "it cannot be taken"))}`;
}
