import { expect, it } from "vitest";
import { ordinal, placeInQueue } from "./place";
import { asSentence, firstLine } from "./sentence";

it.each([
  ["the file is empty", "The file is empty."],
  ["Timeout after 1800s", "Timeout after 1800s."],
  ["Cancelled.", "Cancelled."],
  ["  what now? ", "What now?"],
  ["", ""],
])("%j becomes %j", (given, sentence) => expect(asSentence(given)).toBe(sentence));

it("only the first line is for everybody", () => {
  expect(firstLine("\nlibx264: out of memory\n#0 0x55\n")).toBe("libx264: out of memory");
  expect(firstLine("")).toBe("");
});

it.each([
  [1, "1st"],
  [2, "2nd"],
  [3, "3rd"],
  [4, "4th"],
  [11, "11th"],
  [12, "12th"],
  [13, "13th"],
  [21, "21st"],
  [112, "112th"],
])("%d is the %s", (value, word) => expect(ordinal(value)).toBe(word));

it("the first in the queue is next", () => {
  expect(placeInQueue(1)).toBe("Next in queue");
  expect(placeInQueue(3)).toBe("3rd in queue");
});
