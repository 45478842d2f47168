/** What people paste: URLs or paths, one per line. */
import { uploadTexts } from "@/texts/upload";

export interface BatchLine {
  line: number;
  text: string;
  item: { url: string } | { path: string };
}

export const MOST_LINES = 1_000;

/** Empty lines are skipped; what is not a URL is a path. */
export function batchLines(text: string): BatchLine[] {
  return text
    .split("\n")
    .map((line, at) => ({ line: at + 1, text: unquoted(line.trim()) }))
    .filter(({ text }) => text !== "")
    .map((line) => ({
      ...line,
      item: /^[a-z][a-z0-9+.-]*:\/\//i.test(line.text) ? { url: line.text } : { path: line.text },
    }));
}

/** Paths that were copied often stand in quotes. */
function unquoted(text: string): string {
  return /^(["']).+\1$/.test(text) ? text.slice(1, -1) : text;
}

/** Null if they may be sent. */
export function linesProblem(lines: readonly BatchLine[]): string | null {
  if (lines.length === 0) return uploadTexts.import.noLines;
  return lines.length > MOST_LINES ? uploadTexts.import.tooManyLines : null;
}
