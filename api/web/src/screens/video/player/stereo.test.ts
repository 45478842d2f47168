import type { Level } from "hls.js";
import { expect, it } from "vitest";
import { keepStereo } from "./stereo";

const level = (height: number, group?: string) => ({ height, audioGroups: group ? [group] : undefined }) as Level;

function player(levels: Level[], firstLevel: number) {
  const hls = {
    levels,
    firstLevel,
    allAudioTracks: [
      { groupId: "audio", channels: "2" },
      { groupId: "audio-surround", channels: "6" },
      { groupId: "audio-surround", channels: "2" },
    ],
    removeLevel(index: number) {
      hls.levels = hls.levels.filter((_, at) => at !== index);
    },
  };
  keepStereo(hls);
  return { groups: hls.levels.map(({ height, audioGroups }) => [height, audioGroups?.[0]]), first: hls.firstLevel };
}

it("surround is left out, and the first quality stays the first", () => {
  const levels = [360, 720].flatMap((height) => [level(height, "audio"), level(height, "audio-surround")]);
  expect(player(levels, 2)).toEqual({
    groups: [
      [360, "audio"],
      [720, "audio"],
    ],
    first: 1,
  });
});

it("what has nothing else is kept", () => {
  expect(player([level(360, "audio-surround")], 0).groups).toHaveLength(1);
  expect(player([level(360), level(720)], 1)).toEqual({
    groups: [
      [360, undefined],
      [720, undefined],
    ],
    first: 1,
  });
});
