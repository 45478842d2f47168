import { describe, expect, it } from "vitest";
import type { Work } from "@/api/types";
import {
  errorSentence,
  frameRate,
  isAudioOnly,
  noSourceWords,
  possible,
  resolution,
  spokenProgress,
  statusWords,
  stepText,
  trackList,
} from "./words";

const NOW = Date.parse("2030-01-01T12:00:00Z");

const running: Work = {
  job_id: "j",
  job_number: 7,
  status: "running",
  state: "claimed",
  percent: 42.7,
  step: "transcode",
  worker_name: "gpu-1",
  position: null,
  waiting: null,
  eta: { seconds: 300, low_seconds: 240, high_seconds: 360, starts_in_seconds: null, at: "2030-01-01T12:00:00Z" },
  qualities: [],
};
const waiting: Work = {
  ...running,
  status: "pending",
  state: "unclaimed",
  percent: 0,
  step: null,
  worker_name: null,
  position: 3,
  waiting: { reason: "no_worker", text: "No worker is online.", until: null },
  eta: null,
};

describe("the state of a video", () => {
  it("what a person stopped did not fail", () => {
    expect(statusWords({ status: "failed", cancelled: true })).toEqual({ label: "Cancelled", tone: "neutral" });
    expect(statusWords({ status: "failed", cancelled: false }).tone).toBe("bad");
    expect(statusWords({ status: "ready", cancelled: false }).label).toBe("Ready");
  });

  it("a failure always has a sentence", () => {
    expect(errorSentence({ error: "the file is not a video\nmoov atom not found" })).toBe("The file is not a video.");
    expect(errorSentence({ error: null })).not.toBe("");
  });

  it("no picture means sound, once something plays", () => {
    expect(isAudioOnly({ generation: 1, width: null })).toBe(true);
    expect(isAudioOnly({ generation: 0, width: null })).toBe(false);
    expect(isAudioOnly({ generation: 1, width: 640 })).toBe(false);
  });

  it("knows a size only if both sides are known", () => {
    expect(resolution({ width: 1920, height: 1080 })).toBe("1920 × 1080");
    expect(resolution({ width: 1920, height: null })).toBeNull();
  });
});

describe("what can be done", () => {
  it.each([
    ["failed", null, { retry: true, cancel: false, retranscode: false }],
    ["ready", null, { retry: false, cancel: false, retranscode: true }],
    ["ready", running, { retry: false, cancel: true, retranscode: false }],
    ["processing", running, { retry: false, cancel: true, retranscode: false }],
    ["pending", waiting, { retry: false, cancel: true, retranscode: false }],
  ] as const)("with a %s video", (status, work, expected) =>
    expect(possible({ status, work })).toEqual({ ...expected, download: true }),
  );

  it("with one whose original is gone: it plays, and says why nothing is made of it anew", () => {
    const gone = { status: "ready", work: null, source_deleted_at: "2030-01-01T12:00:00Z" } as const;
    expect(possible(gone)).toEqual({ retry: false, cancel: false, retranscode: false, download: false });
    expect(noSourceWords(gone)).toContain("retention");
    expect(noSourceWords({ source_deleted_at: null })).toBeNull();
  });
});

describe("the work in words", () => {
  it("while it runs", () => {
    expect(spokenProgress(running, false, NOW)).toBe("Transcoding, 42%, done in 4–6 min");
    expect(stepText(running, true)).toBe("Transcoding again");
    expect(stepText({ status: "running", step: null }, false)).toBe("Starting");
  });

  it("while it waits, with the reason", () => {
    expect(spokenProgress(waiting, false, NOW)).toBe("Waiting, 3rd in queue. No worker is online.");
  });
});

describe("what the source is", () => {
  it("has a frame rate without digits too many", () => {
    expect([25, 30_000 / 1001, 24_000 / 1001].map(frameRate)).toEqual(["25 fps", "29.97 fps", "23.976 fps"]);
  });

  it("names its tracks by language and title", () => {
    expect(trackList([])).toBeNull();
    expect(trackList(undefined)).toBeNull();
    const tracks = [{ language: "en" }, { language: "de", title: "Commentary" }, { title: "Music" }, {}];
    expect(trackList(tracks)).toBe("English, German (Commentary), Music, Track 4");
  });
});
