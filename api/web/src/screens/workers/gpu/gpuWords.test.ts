import { describe, expect, it } from "vitest";
import { courseOf } from "@/live/gpus";
import { AT, exampleGpu } from "@/testing/examples";
import {
  courseText,
  encoderText,
  gpuCounts,
  memoryText,
  otherFacts,
  sessionsText,
  spanText,
  stateWords,
} from "./gpuWords";

describe("a GPU in words", () => {
  it("says how it is, and nothing of a worker that is silent", () => {
    expect((["ready", "yielding", "quarantined", "lost", "unusable"] as const).map((s) => stateWords(s, true))).toEqual(
      [
        { label: "Ready", tone: "good" },
        { label: "Yielding", tone: "neutral" },
        { label: "Quarantined", tone: "bad" },
        { label: "Lost", tone: "bad" },
        { label: "Not usable", tone: "warning" },
      ],
    );
    expect(stateWords("ready", false).label).toBe("Unknown");
    expect(stateWords("melted" as "lost", true).label).toBe("melted");
  });

  it("tells sessions with the limit once one was met", () => {
    expect(sessionsText(exampleGpu())).toBe("1 of 3");
    expect(sessionsText(exampleGpu({ session_limit: null }))).toBe("1");
  });

  it.each([
    [2e9, 8e9, "2 of 8 GB"],
    [400e6, 8e9, "400 MB of 8 GB"],
    [0, 8e9, "0 B of 8 GB"],
    [null, 8e9, "8 GB total"],
    [2e9, null, "2 GB"],
    [null, null, null],
  ])("%s bytes of %s are %s", (memory_used_bytes, memory_bytes, text) => {
    expect(memoryText({ memory_bytes, sample: { memory_used_bytes } })).toBe(text);
  });

  it("tells what its encoders did in their test", () => {
    const encoder = { name: "h264_nvenc", codec: "h264", fps: 480.4, max_side: 4096, on_card: true } as const;
    expect(encoderText(encoder)).toBe("h264_nvenc 480 fps at 1080p, up to 4096 px");
    expect(encoderText({ ...encoder, fps: 7.25 })).toBe("h264_nvenc 7.3 fps at 1080p, up to 4096 px");
  });

  it("tells the rest as far as it was told", () => {
    expect(otherFacts(exampleGpu().sample)).toEqual([]);
    expect(otherFacts(null)).toEqual([]);
    const sample = {
      power_watts: 120,
      power_limit_watts: 300,
      throttled: ["power", "heat"],
      foreign_processes: 1,
      encoder_sessions: 3,
    };
    expect(otherFacts(sample)).toEqual([
      "120 of 300 W",
      "throttled: power, heat",
      "1 other process",
      "3 sessions in total",
    ]);
  });

  it("counts many by their state", () => {
    const gpus = (["ready", "lost", "ready", "yielding"] as const).map((state) => exampleGpu({ state }));
    expect(gpuCounts(gpus)).toBe("4 GPUs: 2 ready, 1 yielding, 1 lost");
  });
});

describe("the chart in words", () => {
  it("says where each line went and where it is", () => {
    expect(courseText(courseOf(exampleGpu(), AT))).toBe(
      "Last 4 s: encoder 10% to 40%, now 40%; memory 20% to 25%, now 25%; temperature 50 °C to 55 °C, now 55 °C.",
    );
  });

  it("leaves out what was never told", () => {
    const one = { at: [0], encoder: [7], memory: [null], temperature: [null] };
    expect(courseText(one)).toBe("No history yet: encoder 7%.");
    expect(courseText({ at: [0, 9_000], encoder: [7, 7], memory: [null, null], temperature: [9, null] })).toBe(
      "Last 9 s: encoder 7%; temperature 9 °C.",
    );
    expect(courseText({ at: [], encoder: [], memory: [], temperature: [] })).toBe("No data yet.");
    expect(spanText({ ...one, at: [0, 118_000] })).toBe("Last 2 min");
  });
});
