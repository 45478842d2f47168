import { commonTexts } from "@/texts/common";

/** 1 → "1st", 12 → "12th", 23 → "23rd". */
export function ordinal(value: number): string {
  const tens = value % 100;
  if (tens >= 11 && tens <= 13) return `${value}th`;
  return `${value}${["th", "st", "nd", "rd"][value % 10] ?? "th"}`;
}

/** Where a job stands among those that wait: "Next in queue", "3rd in queue". */
export function placeInQueue(position: number): string {
  return position <= 1 ? commonTexts.nextInQueue : commonTexts.placeInQueue(ordinal(position));
}
