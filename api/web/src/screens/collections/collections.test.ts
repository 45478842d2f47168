import { describe, expect, it } from "vitest";
import { exampleCollection } from "@/testing/examples";
import { daysProblem, rulesOf, valuesOf } from "./collectionValues";
import { countWords, ruleWords } from "./collectionWords";
import { ladderProblem, ladderText, ladderWords, parseLadder, type Rung } from "./ladder";

const rung = (side: Rung["side"], kbps: Rung["kbps"], codec: Rung["codec"] = "h264"): Rung => ({ side, kbps, codec });

describe("a ladder", () => {
  it("is written as it is read", () => {
    const text = "1080p:5000,1080p:3000:hevc,720p:2500";
    expect(ladderText(parseLadder(text))).toBe(text);
    expect(parseLadder(" 720p:2500:av1 ")).toEqual([rung(720, 2_500, "av1")]);
  });

  it("says what it makes, best first", () => {
    expect(ladderWords(parseLadder("360p:600,1080p:5000,720p:2500:hevc"))).toBe(
      "3 qualities: 1080p, 720p HEVC, 360p. An hour of video takes up to 3.7 GB.",
    );
  });

  it.each([
    [[], "at least one"],
    [[rung(721, 2_500)], "Correct the numbers"],
    [[rung(4_322, 2_500)], "Correct the numbers"],
    [[rung("", 2_500)], "Correct the numbers"],
    [[rung(720, 49)], "Correct the numbers"],
    [[rung(720, 200_001)], "Correct the numbers"],
    [[rung(720, 2_500), rung(720, 3_000)], "720p is listed twice"],
    [Array.from({ length: 25 }, (_, at) => rung(2 * at + 2, 500)), "at most 24"],
  ] as [Rung[], string][])("%j is refused: %s", (rungs, why) => expect(ladderProblem(rungs)).toContain(why));

  it("may have two codecs of one size", () => {
    expect(ladderProblem([rung(720, 2_500), rung(720, 1_500, "hevc")])).toBeNull();
  });
});

describe("the rules of a collection", () => {
  it("are the farm's where it has none of its own", () => {
    const plain = exampleCollection();
    expect(ruleWords(plain)).toEqual([]);
    expect(rulesOf(valuesOf(plain))).toEqual({
      ladder: null,
      priority: 0,
      source_retention: null,
      completed_retention_days: null,
    });
  });

  it("come back as they were, and in words", () => {
    const own = exampleCollection({
      ladder: "720p:2500",
      priority: 100,
      source_retention: "7",
      completed_retention_days: 1,
    });
    const { ladder, priority, source_retention, completed_retention_days } = own;
    expect(rulesOf(valuesOf(own))).toEqual({ ladder, priority, source_retention, completed_retention_days });
    expect(ruleWords(own)).toEqual([
      "1 quality: 720p. An hour of video takes up to 1.2 GB.",
      "High priority.",
      "Originals are deleted 7 days after a video is ready.",
      "Finished jobs leave the history after 1 day.",
    ]);
    const gone = exampleCollection({ source_retention: "delete_after_ready" });
    expect(rulesOf(valuesOf(gone)).source_retention).toBe("delete_after_ready");
  });

  it("have days that are numbers", () => {
    expect(daysProblem(0, 0)).toBeNull();
    for (const days of [0, -1, 1.5, "", 36_501]) expect(daysProblem(days, 1)).toBeTruthy();
  });

  it("are told with what is in it", () => {
    expect(countWords(exampleCollection())).toBe("2 videos");
    const jobs = { pending: 1, running: 2, completed: 9, errors: 3, cancelled: 4 };
    expect(countWords(exampleCollection({ videos: 1, jobs }))).toBe(
      "1 video, 2 jobs running, 1 job waiting, 3 jobs failed",
    );
  });
});
