import { expect, it } from "vitest";
import { refusalText } from "./refusal";

it("speaks in the server's words where it has any", () => {
  expect(refusalText({ status: 507, text: '{"detail":"The disk is full."}' })).toBe("The disk is full.");
  expect(refusalText({ status: 502, text: "<html>" })).toBe("The server responded with HTTP 502.");
  expect(refusalText({ status: 0, text: "" })).toContain("Connection lost");
  expect(refusalText(null)).toContain("Connection lost");
});
