import { expect, it } from "vitest";
import type { Cleaned } from "@/api/types";
import { found, totalWords } from "./cleanupWords";

const kinds: Cleaned[] = [
  { kind: "events", count: 12, bytes: 0 },
  { kind: "sources", count: 2, bytes: 3e9 },
  { kind: "orphans", count: 0, bytes: 0 },
];

it("only kinds with something to remove are listed", () => {
  expect(found({ kinds }).map(({ kind }) => kind)).toEqual(["events", "sources"]);
});

it("the total is shown, before and after", () => {
  expect(totalWords({ dry_run: true, kinds })).toBe("3 GB will be freed.");
  expect(totalWords({ dry_run: false, kinds })).toBe("3 GB freed.");
  expect(totalWords({ dry_run: true, kinds: kinds.slice(0, 1) })).toContain("no files");
  expect(totalWords({ dry_run: false, kinds: [] })).toBe("Nothing was removed.");
});
