import { expect, it } from "vitest";
import { refusalText } from "./refusal";

it("speaks in the server's words where it has any", () => {
  expect(refusalText({ status: 507, text: '{"detail":"The disk is full."}' })).toBe("The disk is full.");
  expect(refusalText({ status: 502, text: "<html>" })).toBe("The server responded with HTTP 502.");
  expect(refusalText({ status: 0, text: "" })).toContain("Connection lost");
  const toPrograms = '{"detail":"Log in with POST /api/login, or send an API token."}';
  expect(refusalText({ status: 401, text: toPrograms })).toBe("Your session has ended. Log in to continue.");
  expect(refusalText(null)).toContain("Connection lost");
});
