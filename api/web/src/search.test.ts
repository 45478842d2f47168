import { expect, it } from "vitest";
import { localPath, queueSearch, videosSearch } from "./search";

it.each([
  ["/queue?tab=failed", "/queue?tab=failed"],
  ["//elsewhere.example", undefined],
  ["/\\elsewhere.example", undefined],
  ["https://elsewhere.example", undefined],
  ["/login?next=/login", undefined],
  [undefined, undefined],
])("after the login %s leads to %s", (given, kept) => expect(localPath(given)).toBe(kept));

it("drops what it does not know", () => {
  expect(videosSearch({ status: "ready", search: 42, view: "list", colour: "red" })).toEqual({
    status: "ready",
    search: "42",
    collection: undefined,
    view: undefined,
  });
  expect(queueSearch({ tab: "everything" }).tab).toBeUndefined();
});
