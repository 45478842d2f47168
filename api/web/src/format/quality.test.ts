import { expect, it } from "vitest";
import { qualityLabel, shortQualityLabel } from "./quality";

it.each([
  ["720p", "720p", "720p"],
  ["1080phevc", "1080phevc", "1080phevc"],
  ["audio0", "Audio", "Audio"],
  ["audio1", "Audio 2", "Audio 2"],
  ["audio0surround", "Audio, 5.1 surround", "Audio, 5.1"],
  ["audio11surround", "Audio 12, 5.1 surround", "Audio 12, 5.1"],
  ["audio", "audio", "audio"],
])("%s is called %s", (name, label, short) => {
  expect(qualityLabel(name)).toBe(label);
  expect(shortQualityLabel(name)).toBe(short);
});
