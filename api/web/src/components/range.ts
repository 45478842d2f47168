/** The ids from one to another, both included, in either direction; only the second if the first is not there. */
export function between(items: readonly { id: string }[], from: string | null, to: string): string[] {
  const [a, b] = [from, to].map((wanted) => items.findIndex(({ id }) => id === wanted));
  if (a === undefined || b === undefined || a < 0 || b < 0) return [to];
  return items.slice(Math.min(a, b), Math.max(a, b) + 1).map(({ id }) => id);
}
