import { expect, it } from "vitest";
import { bulkWords, runEach } from "./bulk";

const items = Array.from({ length: 9 }, (_, index) => index);

it("each is tried, whatever happens to the others, and only a few at the same time", async () => {
  const progress: number[] = [];
  let running = 0;
  let most = 0;
  const { done, refused } = await runEach(
    items,
    async (item) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      if (item % 5 === 0) throw new Error("Job 3 is over.");
    },
    (tried) => progress.push(tried),
  );
  expect(done).toHaveLength(7);
  expect(refused.map(({ item }) => item)).toEqual([0, 5]);
  expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBe(4);
});

it("does nothing for nothing", async () => {
  expect(await runEach([], () => Promise.reject(new Error("never")))).toEqual({ done: [], refused: [] });
});

it.each([
  [1, [], "1 job retried."],
  [2, [], "2 jobs retried."],
  [1, ["It is over."], "1 of 2 jobs retried. Failed: It is over."],
  [0, ["No.", "No."], "0 of 2 jobs retried. Failed: No. (2×)"],
  [0, ["A.", "B.", "C.", "D.", "D."], "0 of 5 jobs retried. Failed: A. B. C. And 2 more."],
])("%d done and %j refused is summed up", (done, messages, text) => {
  const refused = messages.map((message) => ({ item: 0, error: new Error(message) }));
  expect(bulkWords({ done: Array(done).fill(0), refused }, "job", "retried")).toBe(text);
});
