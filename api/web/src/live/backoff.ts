const FIRST_MS = 3_000;
const MOST_MS = 30_000;

/** 3 s, 6 s, 12 s … at most 30 s, each ±20 % so that browsers do not come back all at once. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(FIRST_MS * 2 ** Math.max(0, attempt), MOST_MS);
  return Math.round(base * (0.8 + random() * 0.4));
}
