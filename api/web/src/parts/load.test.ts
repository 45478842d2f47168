import { expect, it } from "vitest";
import { loadPatiently, PartGone } from "./load";

/** Fails as often as it says, then loads. */
function part(failures: number) {
  let left = failures;
  return async () => {
    left -= 1;
    if (left >= 0) throw new TypeError("Failed to fetch");
    return "part";
  };
}
const wait = async () => {};

it("waits for a server that is away, however long, and says so", async () => {
  let told = 0;
  const onAway = () => {
    told += 1;
  };
  expect(await loadPatiently(part(50), { onAway, wait, isServerThere: async () => false })).toBe("part");
  expect(told).toBe(50);
});

it("tries twice at a server that is there, and then says that the part is gone", async () => {
  const isServerThere = async () => true;
  expect(await loadPatiently(part(1), { wait, isServerThere })).toBe("part");
  await expect(loadPatiently(part(2), { wait, isServerThere })).rejects.toThrow(PartGone);
});

it("ends when nobody wants the part any more", async () => {
  const leaving = new AbortController();
  const leave = async () => leaving.abort();
  const loading = loadPatiently(part(50), { signal: leaving.signal, wait: leave, isServerThere: async () => false });
  await expect(loading).rejects.toThrow(/abort/i);
});
