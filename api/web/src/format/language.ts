/** "de" → "German", in the language of the page; the code itself if nobody knows it. */
export function languageName(code: string | null | undefined): string {
  if (!code) return "";
  try {
    return new Intl.DisplayNames(undefined, { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
