/** The same action on many jobs: some may succeed and others not, and people hear of both. */
import { messageOf } from "@/api/problem";
import { count, formatNumber } from "@/format/count";

const AT_ONCE = 4;
const REASONS_SHOWN = 3;

export interface Outcome {
  id: string;
  /** Why it was not done; null if it was. */
  refused: string | null;
}

/** Runs an action on each; it answers null when done, or why not. */
export async function runEach<T extends { id: string }>(
  items: readonly T[],
  run: (item: T) => Promise<string | null>,
  onProgress: (done: number) => void = () => {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const queue = [...items];
  const takeTurns = async () => {
    for (let item = queue.shift(); item; item = queue.shift()) {
      outcomes.push({ id: item.id, refused: await attempt(run, item) });
      onProgress(outcomes.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return outcomes;
}

async function attempt<T>(run: (item: T) => Promise<string | null>, item: T): Promise<string | null> {
  try {
    return await run(item);
  } catch (error) {
    return messageOf(error);
  }
}

export interface Summary {
  result: "all" | "some" | "none";
  text: string;
}

/** "12 jobs retried." or "10 of 12 jobs retried. Left alone: …" */
export function summarize(outcomes: readonly Outcome[], done: string): Summary {
  const refusals = outcomes.flatMap(({ refused }) => (refused === null ? [] : [refused]));
  const succeeded = outcomes.length - refusals.length;
  if (refusals.length === 0) return { result: "all", text: `${count(succeeded, "job")} ${done}.` };
  const text = `${formatNumber(succeeded)} of ${count(outcomes.length, "job")} ${done}. ${reasons(refusals)}`;
  return { result: succeeded === 0 ? "none" : "some", text };
}

function reasons(refusals: readonly string[]): string {
  const times = new Map<string, number>();
  for (const reason of refusals) times.set(reason, (times.get(reason) ?? 0) + 1);
  const shown = [...times].slice(0, REASONS_SHOWN);
  const told = shown.map(([reason, often]) => (often === 1 ? reason : `${reason} (${formatNumber(often)} times)`));
  const rest = refusals.length - shown.reduce((total, [, often]) => total + often, 0);
  return `Left alone: ${told.join(" ")}${rest > 0 ? ` And ${formatNumber(rest)} more.` : ""}`;
}
