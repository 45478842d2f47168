import { expect, it } from "vitest";
import { bulkWords, runEach } from "./bulk";

it("goes on when one is refused", async () => {
  const items = Array.from({ length: 10 }, (_, index) => index);
  let atOnce = 0;
  let most = 0;
  const result = await runEach(items, async (item) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await Promise.resolve();
    atOnce -= 1;
    if (item % 5 === 0) throw new Error("Job 3 is running.");
  });
  expect(result.done).toHaveLength(8);
  expect(result.refused.map(({ item }) => item)).toEqual([0, 5]);
  expect(most).toBeLessThanOrEqual(4);
});

it("does nothing for nothing", async () => {
  expect(await runEach([], () => Promise.reject(new Error("never")))).toEqual({ done: [], refused: [] });
});

const refused = (...messages: string[]) => messages.map((message) => ({ item: 0, error: new Error(message) }));

it.each([
  [{ done: [1], refused: [] }, "1 video deleted"],
  [{ done: [1, 2], refused: [] }, "2 videos deleted"],
  [{ done: [1, 2], refused: refused("No.") }, "2 of 3 videos deleted. One was left as before: No."],
  [{ done: [], refused: refused("No.", "No.") }, "0 of 2 videos deleted. 2 were left as before: No."],
  [
    { done: [1], refused: refused("No.", "Gone.") },
    "1 of 3 videos deleted. 2 were left as before: No. And 1 other reason.",
  ],
])("%j", (result, text) => expect(bulkWords(result, "deleted")).toBe(text));
