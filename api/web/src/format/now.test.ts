import { afterEach, expect, it } from "vitest";
import { hearServerTime, serverNow } from "./now";

const MINUTE = 60_000;
const differs = () => Math.round((serverNow() - Date.now()) / MINUTE);
const dateIn = (ms: number) => new Date(Date.now() + ms).toUTCString();

afterEach(() => hearServerTime(dateIn(0)));

it("follows the server where the clock of this computer is wrong", () => {
  hearServerTime(dateIn(-10 * MINUTE));
  expect(differs()).toBe(-10);
  hearServerTime(dateIn(2_000));
  expect(serverNow() - Date.now()).toBe(0);
});

it("stays as it is when an answer does not tell the time", () => {
  hearServerTime(dateIn(10 * MINUTE));
  for (const date of [null, "", "yesterday"]) hearServerTime(date);
  expect(differs()).toBe(10);
});
