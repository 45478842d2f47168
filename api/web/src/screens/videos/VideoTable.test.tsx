import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import type { Video } from "@/api/types";
import type { Selection } from "@/components/useSelection";
import type { VideoActions } from "../video/actions/useVideoActions";
import { VideoTable } from "./VideoTable";

const rendered: string[] = [];

vi.mock("./VideoState", () => ({
  VideoState: ({ video }: { video: Video }) => {
    rendered.push(video.id);
    return null;
  },
}));
vi.mock("./VideoMenu", () => ({ VideoMenu: () => null }));
vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
vi.mock("@/components/TimeAgo", () => ({ TimeAgo: () => null }));

type Entry = Pick<IntersectionObserverEntry, "isIntersecting" | "boundingClientRect">;

/** Everything is near the window. */
class Everywhere {
  private readonly tell: (entries: Entry[]) => void;
  constructor(tell: (entries: Entry[]) => void) {
    this.tell = tell;
  }
  observe() {
    this.tell([{ isIntersecting: true, boundingClientRect: new DOMRect() }]);
  }
  disconnect() {}
}

it("progress of one video renders one row", async () => {
  vi.stubGlobal("IntersectionObserver", Everywhere);
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const videos = Array.from({ length: 200 }, (_, index) => ({ id: String(index), title: "", source_size: 1 }) as Video);
  const actions = {} as VideoActions;
  const selection: Selection<Video> = { ids: new Set(), chosen: [], toggle: () => {}, all: () => {}, clear: () => {} };
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const show = (items: Video[]) =>
    act(async () => root.render(<VideoTable items={items} selection={selection} actions={actions} />));

  await show(videos);
  expect(new Set(rendered).size).toBe(200);
  rendered.length = 0;
  await show(videos.map((video) => (video.id === "77" ? { ...video } : video)));
  expect(rendered).toEqual(["77"]);
});
