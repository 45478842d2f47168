/** The same action on many things: some may succeed and others be refused, and people hear of both. */
import { notifications } from "@mantine/notifications";
import { count, formatNumber } from "@/format/count";
import { commonTexts } from "@/texts/common";
import { messageOf } from "./problem";

const texts = commonTexts.bulk;

const AT_ONCE = 4;
const REASONS_SHOWN = 3;
const LONG_MS = 15_000;

export interface BulkResult<T> {
  done: T[];
  refused: { item: T; error: unknown }[];
}

export async function runEach<T>(
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
  onProgress: (tried: number) => void = () => {},
): Promise<BulkResult<T>> {
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
      onProgress(result.done.length + result.refused.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
  return result;
}

/** "12 jobs requeued." or "10 of 12 jobs requeued. Failed: …" */
export function bulkWords<T>({ done, refused }: BulkResult<T>, noun: string, verb: string): string {
  const total = count(done.length + refused.length, noun);
  if (refused.length === 0) return texts.allDone(total, verb);
  return texts.someDone(formatNumber(done.length), total, verb, reasons(refused));
}

export function tellBulk<T>(result: BulkResult<T>, noun: string, verb: string): void {
  const all = result.refused.length === 0;
  notifications.show({
    message: bulkWords(result, noun, verb),
    color: all ? "green" : result.done.length === 0 ? "red" : "yellow",
    autoClose: all ? undefined : LONG_MS,
  });
}

function reasons(refused: readonly { error: unknown }[]): string {
  const times = new Map<string, number>();
  for (const { error } of refused) times.set(messageOf(error), (times.get(messageOf(error)) ?? 0) + 1);
  const shown = [...times].slice(0, REASONS_SHOWN);
  const told = shown.map(([reason, often]) => (often === 1 ? reason : texts.sameReason(reason, formatNumber(often))));
  const rest = refused.length - shown.reduce((total, [, often]) => total + often, 0);
  if (rest > 0) told.push(texts.moreReasons(formatNumber(rest)));
  return told.join(" ");
}
