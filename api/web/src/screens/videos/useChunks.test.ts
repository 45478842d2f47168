import { expect, it } from "vitest";
import { cut } from "./useChunks";

const items = Array.from({ length: 7 }, (_, id) => ({ id }));

it("cuts in order, the last piece may be short", () => {
  expect(cut(items, 3).map((piece) => piece.map(({ id }) => id))).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
  expect(cut([], 3)).toEqual([]);
});

it("only the piece with the change is another array", () => {
  const before = cut(items, 3);
  const after = cut(
    items.map((item) => (item.id === 4 ? { id: 4 } : item)),
    3,
    before,
  );
  expect(after.map((piece, index) => piece === before[index])).toEqual([true, false, true]);
});

it("notices what was added and taken away", () => {
  const before = cut(items, 3);
  expect(cut(items.slice(0, 6), 3, before)).toHaveLength(2);
  const longer = cut([...items, { id: 7 }], 3, before);
  expect(longer.map((piece, index) => piece === before[index])).toEqual([true, true, false]);
});
