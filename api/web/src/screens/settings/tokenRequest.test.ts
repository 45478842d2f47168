import { describe, expect, it } from "vitest";
import { tokenRequest } from "./tokenRequest";

const NOW = new Date("2030-01-01T12:00:00Z");

describe("a new token", () => {
  it("says only what was chosen", () => {
    const values = { name: " ci ", scope: "read", expires: "never", collection: "left from before" } as const;
    expect(tokenRequest(values, NOW)).toEqual({ name: "ci", scope: "read" });
  });

  it("ends when it is to end, and is bound where that is possible", () => {
    const values = { name: "box", scope: "upload_only", expires: "7", collection: " news " } as const;
    expect(tokenRequest(values, NOW)).toEqual({
      name: "box",
      scope: "upload_only",
      expires_at: "2030-01-08T12:00:00.000Z",
      collection: "news",
    });
  });
});
