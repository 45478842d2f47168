import { describe, expect, it } from "vitest";
import { formatBytes } from "./bytes";
import { count, formatPercent } from "./count";
import { formatClock, formatCountdown, formatSpan } from "./duration";
import { formatEta, formatRange } from "./eta";
import { formatTimeAgo, secondsUntil } from "./time";

const NOW = Date.parse("2030-01-01T12:00:00Z");

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [-5, "0 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [1449, "1.4 kB"],
    [9_960, "10 kB"],
    [999_600, "1 MB"],
    [1_400_000_000, "1.4 GB"],
    [52_000_000_000_000, "52 TB"],
  ])("%d is %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe("durations", () => {
  it.each([
    [0, "0:00"],
    [7.9, "0:07"],
    [245, "4:05"],
    [3723, "1:02:03"],
  ])("the clock of %d s is %s", (seconds, text) => expect(formatClock(seconds)).toBe(text));

  it.each([
    [0, "0 s"],
    [20.2, "20 s"],
    [59.7, "1 min"],
    [240, "4 min"],
    [3_590, "1 h"],
    [4_800, "1 h 20 min"],
    [86_400, "1 day"],
    [260_000, "3 days"],
  ])("%d s is %s", (seconds, text) => expect(formatSpan(seconds)).toBe(text));

  it("a countdown never shows less than is left", () => {
    expect(formatCountdown(27.2)).toBe("00:28");
    expect(formatCountdown(-3)).toBe("00:00");
    expect(formatCountdown(3_723)).toBe("1:02:03");
  });
});

describe("estimates", () => {
  it.each([
    [0, 4, "a few seconds"],
    [18, 22, "about 20 s"],
    [20, 42, "20–40 s"],
    [240, 360, "4–6 min"],
    [290, 300, "about 5 min"],
    [10, 400, "up to 7 min"],
    [700, 1_500, "10–25 min"],
    [5_400, 9_000, "1.5–2.5 h"],
    [20_000, 30_000, "6–8 h"],
    [200_000, 300_000, "2–3 days"],
  ])("%d to %d s is %s", (low, high, text) => expect(formatRange(low, high)).toBe(text));

  it("runs down with the time since it was made", () => {
    const eta = {
      seconds: 300,
      low_seconds: 240,
      high_seconds: 360,
      starts_in_seconds: null,
      at: "2030-01-01T11:58:00Z",
    };
    expect(formatEta(eta, NOW)).toBe("2–4 min");
    expect(formatEta(eta, NOW + 3_600_000)).toBe("a few seconds");
    expect(formatEta(null, NOW)).toBe("no estimate yet");
  });
});

describe("times", () => {
  it("are told from now", () => {
    expect(formatTimeAgo("2030-01-01T11:59:58Z", NOW)).toBe("just now");
    expect(formatTimeAgo("2030-01-01T11:56:00Z", NOW)).toBe("4 min ago");
    expect(formatTimeAgo("2030-01-01T12:00:20Z", NOW)).toBe("in 20 s");
    expect(formatTimeAgo("nonsense", NOW)).toBe("");
    expect(secondsUntil("2030-01-01T12:00:28Z", NOW)).toBe(28);
    expect(secondsUntil("2030-01-01T11:00:00Z", NOW)).toBe(0);
  });
});

describe("numbers", () => {
  it("have the right word behind them", () => {
    expect(count(1, "job")).toBe("1 job");
    expect(count(0, "job")).toBe("0 jobs");
    expect(count(2, "quality", "qualities")).toBe("2 qualities");
  });

  it("only what is done is at 100%", () => {
    expect(formatPercent(99.9)).toBe("99%");
    expect(formatPercent(100)).toBe("100%");
    expect(formatPercent(-1)).toBe("0%");
  });
});
