import { expect, it } from "vitest";
import { intakeName, intakePercent, receivedWords, reportWords } from "./intakeWords";
import { batchLines, linesProblem } from "./lines";

it("lines are addresses or paths, and know where they stood", () => {
  const text = ' https://example.org/a.mp4 \n\n/srv/clips/b c.mov\n"/srv/d.mov"\nHTTP://example.org/e';
  expect(batchLines(text).map(({ line, item }) => [line, item])).toEqual([
    [1, { url: "https://example.org/a.mp4" }],
    [3, { path: "/srv/clips/b c.mov" }],
    [4, { path: "/srv/d.mov" }],
    [5, { url: "HTTP://example.org/e" }],
  ]);
  expect(linesProblem(batchLines(text))).toBeNull();
});

it("nothing and too much are not sent", () => {
  expect(linesProblem(batchLines(" \n "))).toContain("one per line");
  expect(linesProblem(batchLines("a\n".repeat(1_001)))).toContain("1,000");
});

it("a file is called by its title, or by the end of its place", () => {
  expect(intakeName({ title: "Harbour", place: "/srv/a.mov" })).toBe("Harbour");
  expect(intakeName({ title: null, place: "/srv/clips/a.mov" })).toBe("a.mov");
  expect(intakeName({ title: null, place: "https://example.org/" })).toBe("example.org");
});

it("progress is told as far as it is known", () => {
  expect(intakePercent({ size: 200, received: 50 })).toBe(25);
  expect(intakePercent({ size: null, received: 50 })).toBeNull();
  expect(receivedWords({ size: 2e6, received: 1e6 })).toBe("1 MB of 2 MB");
  expect(receivedWords({ size: null, received: 1e6 })).toBe("1 MB so far");
});

it("a batch is told in numbers", () => {
  const report = { accepted: 1, duplicates: 0, refused: 0, results: [] };
  expect(reportWords(report)).toBe("1 file queued for import.");
  expect(reportWords({ ...report, accepted: 3, duplicates: 1 })).toBe(
    "3 files queued for import. 1 file was already queued.",
  );
});
