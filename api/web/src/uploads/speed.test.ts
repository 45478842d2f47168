import { expect, it } from "vitest";
import { SpeedMeter, secondsLeft } from "./speed";

it("is not told before there is a second to measure", () => {
  const meter = new SpeedMeter();
  meter.add(0, 0);
  meter.add(100, 500);
  expect(meter.speed(500)).toBeNull();
  meter.add(400, 2_000);
  expect(meter.speed(2_000)).toBe(200);
});

it("forgets what was long ago", () => {
  const meter = new SpeedMeter();
  for (let second = 0; second <= 60; second += 1)
    meter.add(second < 30 ? second * 10 : 300 + (second - 30) * 1_000, second * 1_000);
  expect(meter.speed(60_000)).toBe(1_000);
});

it("starts anew after a pause, and when the server has less than was thought", () => {
  const meter = new SpeedMeter();
  meter.add(0, 0);
  meter.add(1_000, 2_000);
  meter.add(1_000, 60_000);
  expect(meter.speed(60_000)).toBeNull();
  meter.add(3_000, 62_000);
  meter.add(500, 63_000);
  expect(meter.speed(63_000)).toBeNull();
});

it("is not told when nothing moved for a while", () => {
  const meter = new SpeedMeter();
  meter.add(0, 0);
  meter.add(1_000, 2_000);
  expect(meter.speed(20_000)).toBeNull();
});

it("the time left follows from it", () => {
  expect(secondsLeft(1_000, 100)).toBe(10);
  expect(secondsLeft(1_000, null)).toBeNull();
  expect(secondsLeft(1_000, 0)).toBeNull();
});
