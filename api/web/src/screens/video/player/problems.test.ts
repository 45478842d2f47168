import { expect, it } from "vitest";
import { problemWords } from "./problems";

it.each([
  [{ kind: "unsupported" }, "This browser cannot play the video"],
  [{ kind: "media" }, "The browser could not decode the video"],
  [{ kind: "network", status: 404 }, "A part of the video is not there any more"],
  [{ kind: "network", status: 403 }, "The server does not let you watch this video"],
  [{ kind: "network", status: 503 }, "The server could not deliver the video"],
  [{ kind: "network" }, "The video cannot be loaded"],
  [{ kind: "network", status: 0 }, "The video cannot be loaded"],
  [{ kind: "other" }, "The video stopped"],
] as const)("%j", (trouble, title) => {
  const words = problemWords(trouble);
  expect(words.title).toBe(title);
  expect(words.advice).not.toBe("");
});
