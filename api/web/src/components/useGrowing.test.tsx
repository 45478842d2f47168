import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useGrowing } from "./useGrowing";

let root: Root;
let place: HTMLElement;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
});

afterEach(() => {
  act(() => root.unmount());
  place.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function List({ length }: { length: number }) {
  return useGrowing(length, 10);
}

const render = (length: number) => act(() => root.render(<List length={length} />));
const step = () => act(() => vi.advanceTimersToNextTimer());

it("shows a long list in steps, to its end", () => {
  render(25);
  const seen = [place.textContent];
  for (let turn = 0; turn < 3; turn += 1) {
    step();
    seen.push(place.textContent);
  }
  expect(seen).toEqual(["10", "20", "25", "25"]);
});

it("shows a short list at once, and goes on when it becomes longer", () => {
  render(3);
  expect(place.textContent).toBe("3");
  render(12);
  expect(place.textContent).toBe("10");
  step();
  expect(place.textContent).toBe("12");
});
