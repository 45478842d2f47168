import { expect, it } from "vitest";
import type { Cleaned } from "@/api/types";
import { found, totalWords } from "./cleanupWords";

const kinds: Cleaned[] = [
  { kind: "events", count: 12, bytes: 0 },
  { kind: "sources", count: 2, bytes: 3e9 },
  { kind: "orphans", count: 0, bytes: 0 },
];

it("only what there is of something is told", () => {
  expect(found({ kinds }).map(({ kind }) => kind)).toEqual(["events", "sources"]);
});

it("the sum is told, before and after", () => {
  expect(totalWords({ dry_run: true, kinds })).toBe("These would go, 3 GB in all.");
  expect(totalWords({ dry_run: false, kinds })).toBe("These are gone, 3 GB in all.");
  expect(totalWords({ dry_run: true, kinds: kinds.slice(0, 1) })).toContain("no files");
  expect(totalWords({ dry_run: false, kinds: [] })).toBe("There was nothing to remove.");
});
