import { expect, it } from "vitest";
import { between } from "./range";

const items = ["a", "b", "c", "d"].map((id) => ({ id }));

it.each([
  ["b", "d", ["b", "c", "d"]],
  ["d", "b", ["b", "c", "d"]],
  ["a", "a", ["a"]],
  [null, "c", ["c"]],
  ["gone", "c", ["c"]],
])("from %s to %s", (from, to, ids) => expect(between(items, from, to)).toEqual(ids));
