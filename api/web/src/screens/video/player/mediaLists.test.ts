import { describe, expect, it, vi } from "vitest";
import { RenditionList, renditionsOf, SoundList, soundsOf } from "./mediaLists";

const levels = [
  { width: 640, height: 360, bitrate: 600_000 },
  { width: 1280, height: 720, bitrate: 2_500_000 },
];

describe("qualities", () => {
  it("can be gone through like an array", () => {
    const list = new RenditionList(() => {});
    list.fill(renditionsOf(levels));
    expect(list.length).toBe(2);
    expect([...list].map(({ height }) => height)).toEqual([360, 720]);
    expect(Array.prototype.findIndex.call(list, ({ id }) => id === "1")).toBe(1);
    list.fill([]);
    expect(list[0]).toBeUndefined();
  });

  it("choosing one tells the player, once", () => {
    const choose = vi.fn();
    const changed = vi.fn();
    const list = new RenditionList(choose);
    list.addEventListener("change", changed);
    list.fill(renditionsOf(levels));
    expect(list.selectedIndex).toBe(-1);
    list.selectedIndex = 1;
    list.selectedIndex = 1;
    list.selectedIndex = -1;
    expect(choose.mock.calls).toEqual([[1], [-1]]);
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it("a level of sound alone is no quality to choose", () => {
    expect(renditionsOf([{ width: 0, height: 0, bitrate: 96_000 }])).toEqual([]);
  });
});

describe("sounds", () => {
  const tracks = [
    { id: 0, name: "en", lang: "en" },
    { id: 1, name: "", lang: "de" },
  ];

  it("one sound is no choice", () => {
    expect(soundsOf(tracks.slice(0, 1), 0)).toEqual([]);
    expect(soundsOf(tracks, 0).map(({ lang }) => lang)).toEqual(["en", "de"]);
    expect(soundsOf([...tracks, { id: 2, name: "", lang: undefined }], 0)[2]?.name).toBe("Track 3");
  });

  it("switching one on tells the player", () => {
    const choose = vi.fn();
    const list = new SoundList(choose);
    list.fill(soundsOf(tracks, 0));
    for (const sound of list) sound.enabled = sound.id === "1";
    expect(choose.mock.calls).toEqual([[1]]);
    expect([...list].find(({ enabled }) => enabled)?.language).toBe("de");
    expect(() => JSON.stringify([...list])).not.toThrow();
  });
});
