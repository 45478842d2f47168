/** "the file is empty" → "The file is empty." What workers report has no capital and no full stop. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const ends = /[.!?…]$/.test(trimmed);
  return `${capital(trimmed)}${ends ? "" : "."}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a report says first; the lines below are for those who look deeper. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}
