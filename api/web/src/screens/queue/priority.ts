/** A waiting job with a higher number runs first. */
import { queueTexts as texts } from "@/texts/queue";

export const LOWEST_PRIORITY = -1000;
export const HIGHEST_PRIORITY = 1000;

export const namedPriorities = [
  { value: 100, label: texts.priorities.high },
  { value: 0, label: texts.priorities.normal },
  { value: -100, label: texts.priorities.low },
] as const;

/** "High", "Low" or the number itself. */
export function priorityWords(priority: number): string {
  return nameOf(priority) ?? String(priority);
}

/** "High priority", "Priority 42". */
export function priorityTag(priority: number): string {
  const name = nameOf(priority);
  return name ? texts.priorities.named(name) : texts.priorities.numbered(priority);
}

function nameOf(priority: number): string | undefined {
  return namedPriorities.find(({ value }) => value === priority)?.label;
}

export function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= LOWEST_PRIORITY && Number(value) <= HIGHEST_PRIORITY;
}
