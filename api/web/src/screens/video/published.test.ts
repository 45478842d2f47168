import { expect, it } from "vitest";
import { publishedRenditions } from "./published";

it("reads what was published", () => {
  const found = publishedRenditions({
    duration_us: 10,
    renditions: [{ name: "720p", kind: "video", bytes: 1000, average_bandwidth: 2_000_000 }, { name: "480p" }, null],
  });
  expect([...found.keys()]).toEqual(["720p"]);
  expect(found.get("720p")).toEqual({ name: "720p", bytes: 1000, averageBandwidth: 2_000_000 });
});

it.each([[null], [undefined], ["text"], [{ renditions: 5 }], [[]]])("finds nothing in %j", (given) =>
  expect(publishedRenditions(given).size).toBe(0),
);
