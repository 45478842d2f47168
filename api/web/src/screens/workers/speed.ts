import { workersTexts as texts } from "@/texts/workers";

/** 3.24 → "3.2× real time": seconds of video for each second of work. */
export function formatFactor(factor: number): string {
  const shown = factor < 10 ? factor.toFixed(1) : String(Math.round(factor));
  return texts.facts.realTime(shown);
}
