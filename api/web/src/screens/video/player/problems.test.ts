import { expect, it } from "vitest";
import { problemWords } from "./problems";

it.each([
  [{ kind: "unsupported" }, "This browser cannot play the video"],
  [{ kind: "media" }, "The browser could not decode the video"],
  [{ kind: "network", status: 404 }, "Part of the video is missing"],
  [{ kind: "network", status: 403 }, "You are not allowed to watch this video"],
  [{ kind: "network", status: 503 }, "The server could not deliver the video"],
  [{ kind: "network" }, "Could not load the video"],
  [{ kind: "network", status: 0 }, "Could not load the video"],
  [{ kind: "other" }, "Playback stopped"],
] as const)("%j", (error, title) => {
  const words = problemWords(error);
  expect(words.title).toBe(title);
  expect(words.advice).not.toBe("");
});
