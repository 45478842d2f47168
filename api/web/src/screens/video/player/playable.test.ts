import { expect, it } from "vitest";
import type { Video } from "@/api/types";
import { playable } from "./playable";

const video = (part: Partial<Video>) =>
  ({
    generation: 1,
    playback_url: "/videos/a/master.m3u8",
    title: "A",
    subtitles: [],
    width: 1920,
    height: 1080,
    ...part,
  }) as Video;

it("nothing plays before the first version is published", () => {
  expect(playable(video({ generation: 0 }))).toBeNull();
  expect(playable(video({ playback_url: null }))).toBeNull();
});

it("takes the shape of the picture, but leaves portrait ones room at the sides", () => {
  expect(playable(video({}))?.ratio).toBeCloseTo(16 / 9);
  expect(playable(video({ width: 2100, height: 900 }))?.ratio).toBeCloseTo(7 / 3);
  expect(playable(video({ width: 1080, height: 1920 }))?.ratio).toBeCloseTo(16 / 9);
});

it("names subtitles by their title, else by their language", () => {
  const subtitles = [
    { url: "/1.vtt", language: "de", title: null, forced: false },
    { url: "/2.vtt", language: "en", title: "Commentary", forced: true },
    { url: "/3.vtt", language: null, title: null, forced: false },
  ];
  const labels = playable(video({ subtitles }))?.subtitles.map(({ label }) => label);
  expect(labels?.slice(1)).toEqual(["Commentary (forced)", "Subtitles 3"]);
  expect(labels?.[0]).toMatch(/German|Deutsch/);
});

it("knows a sound by its missing picture", () => {
  expect(playable(video({ width: null, height: null }))?.audioOnly).toBe(true);
});
