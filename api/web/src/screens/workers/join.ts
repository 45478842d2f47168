/** The command that makes a machine a worker of this farm. */

/** An address that means "this machine", whoever says it. */
export function isLocalAddress(address: string): boolean {
  const host = parse(address)?.hostname ?? "";
  return host === "localhost" || host.endsWith(".localhost") || /^127(\.\d+){3}$/.test(host) || host === "[::1]";
}

/** The address without what a worker does not need; null if it is none. */
export function cleanAddress(typed: string): string | null {
  const text = typed.trim();
  const url = parse(text.includes("://") ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

export function joinCommand(address: string, token: string): string {
  return `framefarm-worker run --api ${shellWord(address)} --join ${shellWord(token)} --scratch ./scratch`;
}

/** A word that a shell takes as it is, in quotes where it would not. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
