import { expect, it } from "vitest";
import { bitrate, codecName, pace } from "./renditionWords";

it("names codecs as people do", () => {
  expect(codecName({ codec: "h264", kind: "video" })).toBe("H.264");
  expect(codecName({ codec: null, kind: "audio" })).toBe("AAC");
});

it.each([
  [71_300, "71 kbit/s"],
  [999_999, "1000 kbit/s"],
  [2_345_000, "2.3 Mbit/s"],
])("%d bit/s is %s", (bits, text) => expect(bitrate(bits)).toBe(text));

it("a sound has no pictures a second", () => {
  expect(pace({ kind: "audio", fps: 0, speed: 15.66 })).toEqual(["15.7×"]);
  expect(pace({ kind: "video", fps: 29.6, speed: 1 })).toEqual(["30 fps", "1.0×"]);
  expect(pace({ kind: "audio", fps: 0, speed: 0 })).toEqual([]);
  expect(pace({ kind: "video", fps: null, speed: null })).toEqual([]);
});
