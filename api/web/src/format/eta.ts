/** Honest estimates: a range in steps that fit its size, never a false precision. */
import type { Eta } from "@/api/types";
import { commonTexts } from "@/texts/common";

const texts = commonTexts.estimate;

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

interface Unit {
  from: number;
  size: number;
  name: string;
  step: number;
}

const UNITS: readonly Unit[] = [
  { from: 2 * DAY, size: DAY, name: texts.daysUnit, step: 1 },
  { from: 5 * HOUR, size: HOUR, name: "h", step: 1 },
  { from: 90 * MINUTE, size: HOUR, name: "h", step: 0.5 },
  { from: 10 * MINUTE, size: MINUTE, name: "min", step: 5 },
  { from: 90, size: MINUTE, name: "min", step: 1 },
  { from: 0, size: 1, name: "s", step: 10 },
];

/** "4–6 min", "about 20 s", "a few seconds", or that there is no estimate. */
export function formatEta(eta: Eta | null | undefined, now: number): string {
  if (!eta) return texts.unknown;
  const passed = Math.max(0, (now - Date.parse(eta.at)) / 1000);
  return formatRange(eta.low_seconds - passed, eta.high_seconds - passed);
}

export function formatRange(lowSeconds: number, highSeconds: number): string {
  const low = Math.max(0, Math.min(lowSeconds, highSeconds));
  const high = Math.max(0, lowSeconds, highSeconds);
  if (high < 10) return texts.fewSeconds;
  const unit = UNITS.find(({ from }) => high >= from) ?? { from: 0, size: 1, name: "s", step: 10 };
  const inUnits = (seconds: number) => Math.round(seconds / unit.size / unit.step) * unit.step;
  const [from, to] = [inUnits(low), Math.max(unit.step, inUnits(high))];
  if (from === to) return texts.about(`${to} ${unit.name}`);
  return from === 0 ? texts.upTo(`${to} ${unit.name}`) : `${from}–${to} ${unit.name}`;
}
