import { describe, expect, it } from "vitest";
import { type FileFacts, rowOf, titleFromName, totalsOf, unsupportedRow } from "./rows";

function file(change: Partial<FileFacts> = {}): FileFacts {
  return {
    id: "a",
    name: "a.mov",
    size: 200,
    isGhost: false,
    meta: { title: "A" },
    progress: { uploadStarted: 1, bytesUploaded: 50 },
    ...change,
  };
}

describe("the state of an upload", () => {
  it.each([
    ["ready", file({ progress: { uploadStarted: null, bytesUploaded: false } }), false],
    ["in_line", file({ progress: { uploadStarted: 1, bytesUploaded: 0 } }), true],
    ["uploading", file(), true],
    ["paused", file({ isPaused: true }), true],
    ["paused", file(), false],
    ["failed", file({ error: "No." }), false],
    ["file_missing", file({ isGhost: true }), false],
    ["file_missing", file({ isGhost: true, error: "No." }), false],
    ["done", file({ progress: { uploadStarted: 1, bytesUploaded: 199, uploadComplete: true } }), false],
  ] as const)("is %s", (state, given, running) => expect(rowOf(given, running).state).toBe(state));

  it("has the part that was sent", () => {
    expect(rowOf(file(), true)).toMatchObject({ sent: 50, percent: 25 });
    expect(
      rowOf(file({ progress: { uploadStarted: 1, bytesUploaded: 199, uploadComplete: true } }), false).percent,
    ).toBe(100);
    expect(rowOf(file({ size: null }), true).percent).toBe(0);
  });
});

it("totals count every state", () => {
  const rows = [rowOf(file(), true), rowOf(file({ id: "b", error: "No." }), false)];
  expect(totalsOf(rows)).toMatchObject({ files: 2, size: 400, sent: 100, done: 0, by: { uploading: 1, failed: 1 } });
});

it("what is not sent counts for nothing but itself", () => {
  const rows = [rowOf(file(), true), unsupportedRow("b", new File(["Dear"], "letter.txt"), "A letter.")];
  expect(totalsOf(rows)).toMatchObject({ files: 1, size: 200, sent: 50, by: { uploading: 1, unsupported: 1 } });
});

it.each([
  ["holiday_in_rome.mov", "holiday in rome"],
  ["v1.2 final.mkv", "v1.2 final"],
  [".mov", ".mov"],
  ["no extension", "no extension"],
  ["two\nlines\u0007 and\u2028more.mov", "two lines  and more"],
])("%s is first called %s", (name, title) => expect(titleFromName(name)).toBe(title));
