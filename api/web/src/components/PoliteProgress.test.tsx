import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PoliteProgress } from "./PoliteProgress";

let root: Root;
let place: HTMLElement;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
});
afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function say(text: string, news?: string, waitMs = 0): Promise<string | null> {
  await act(async () => root.render(<PoliteProgress text={text} news={news} />));
  await act(async () => vi.advanceTimersByTimeAsync(waitMs + 1));
  return place.textContent;
}

it("tells the newest text every 15 s", async () => {
  expect(await say("1%")).toBe("1%");
  expect(await say("2%")).toBe("1%");
  expect(await say("3%", undefined, 15_000)).toBe("3%");
});

it("tells news at once, and goes on slowly afterwards", async () => {
  expect(await say("1%", "0 failed")).toBe("1%");
  expect(await say("2%, 1 failed", "1 failed")).toBe("2%, 1 failed");
  expect(await say("3%, 1 failed", "1 failed")).toBe("2%, 1 failed");
});
