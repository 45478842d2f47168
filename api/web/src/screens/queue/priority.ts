/** A waiting job with a higher number is taken first. */

export const LOWEST_PRIORITY = -1000;
export const HIGHEST_PRIORITY = 1000;

export const namedPriorities = [
  { value: 100, label: "High" },
  { value: 0, label: "Normal" },
  { value: -100, label: "Low" },
] as const;

/** "High", "Low" or the number itself. */
export function priorityWords(priority: number): string {
  return namedPriorities.find(({ value }) => value === priority)?.label ?? String(priority);
}

/** "High priority", "Priority 42". */
export function priorityTag(priority: number): string {
  const words = priorityWords(priority);
  return words === String(priority) ? `Priority ${words}` : `${words} priority`;
}

export function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= LOWEST_PRIORITY && Number(value) <= HIGHEST_PRIORITY;
}
