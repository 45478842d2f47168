import { expect, it } from "vitest";
import { attemptLength, outcomeWords } from "./attemptWords";

it.each([
  [null, "Running"],
  ["completed", "Done"],
  ["lost", "Worker lost"],
  ["superseded", "Superseded"],
  ["something new" as "lost", "something new"],
] as const)("the outcome %s is called %s", (outcome, label) => expect(outcomeWords({ outcome }).label).toBe(label));

it("an attempt is as long as it took, or until now", () => {
  const started_at = "2030-01-01T12:00:00Z";
  expect(attemptLength({ started_at, ended_at: "2030-01-01T12:02:00Z" }, 0)).toBe("2 min");
  expect(attemptLength({ started_at, ended_at: null }, Date.parse("2030-01-01T12:00:20Z"))).toBe("20 s");
});
