import { expect, it } from "vitest";
import { languageName } from "./language";

it("calls languages by their names", () => {
  expect(languageName("de")).toMatch(/German|Deutsch/);
  expect(languageName("not a code")).toBe("not a code");
  expect(languageName(null)).toBe("");
});
