import { expect, it } from "vitest";
import type { Work } from "@/api/types";
import { spokenList } from "./spokenList";

const at = (status: Work["status"]) => ({ work: { status } as Work });

it("counts what goes on", () => {
  expect(spokenList([at("running"), { work: null }, at("pending"), at("pending")])).toBe("1 transcoding, 2 waiting");
  expect(spokenList([at("running")])).toBe("1 transcoding");
  expect(spokenList([{ work: null }])).toBe("");
});
