/** The same for many videos: each may succeed or be refused on its own. */
import { messageOf } from "@/api/problem";
import { count } from "@/format/count";

export interface BulkResult<T> {
  done: T[];
  refused: { item: T; error: unknown }[];
}

const AT_ONCE = 4;

export async function runEach<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<BulkResult<T>> {
  const result: BulkResult<T> = { done: [], refused: [] };
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) {
      try {
        await run(item);
        result.done.push(item);
      } catch (error) {
        result.refused.push({ item, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
  return result;
}

/** "8 of 10 videos deleted. 2 were left as they are: …" */
export function bulkWords<T>({ done, refused }: BulkResult<T>, verb: string): string {
  const total = done.length + refused.length;
  if (refused.length === 0) return `${count(total, "video")} ${verb}`;
  const head = `${done.length} of ${count(total, "video")} ${verb}.`;
  const reasons = [...new Set(refused.map(({ error }) => messageOf(error)))];
  const [first] = reasons;
  const more = reasons.length > 1 ? ` And ${count(reasons.length - 1, "other reason")}.` : "";
  return `${head} ${refused.length === 1 ? "One was" : `${refused.length} were`} left as before: ${first}${more}`;
}
