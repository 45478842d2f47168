/** What the form of a collection holds, and what is sent of it. */
import type { Collection } from "@/api/types";
import { collectionsTexts as texts } from "@/texts/collections";
import { ladderText, parseLadder, type Rung, usualLadder } from "./ladder";

export type SourceRule = "farm" | "keep" | "delete_after_ready" | "days";

export interface CollectionValues {
  name: string;
  ownLadder: boolean;
  rungs: Rung[];
  priority: number;
  source: SourceRule;
  sourceDays: number | string;
  /** Empty is the farm's default. */
  completedDays: number | string;
}

export const MOST_DAYS = 36_500;
const SOME_DAYS = 30;

export function valuesOf(collection: Collection | undefined): CollectionValues {
  const rule = collection?.source_retention ?? null;
  const isDays = rule !== null && /^\d+$/.test(rule);
  return {
    name: collection?.name ?? "",
    ownLadder: collection?.ladder != null,
    rungs: collection?.ladder ? parseLadder(collection.ladder) : [...usualLadder],
    priority: collection?.priority ?? 0,
    source: isDays ? "days" : ((rule as SourceRule | null) ?? "farm"),
    sourceDays: isDays ? Number(rule) : SOME_DAYS,
    completedDays: collection?.completed_retention_days ?? "",
  };
}

/** The rules as the server takes them; null is the farm's own. */
export function rulesOf({ ownLadder, rungs, priority, source, sourceDays, completedDays }: CollectionValues) {
  return {
    ladder: ownLadder ? ladderText(rungs) : null,
    priority,
    source_retention: source === "farm" ? null : source === "days" ? String(sourceDays) : source,
    completed_retention_days: completedDays === "" ? null : Number(completedDays),
  };
}

export function daysProblem(days: number | string, least: number): string | null {
  const isFine = Number.isInteger(days) && Number(days) >= least && Number(days) <= MOST_DAYS;
  return isFine ? null : texts.form.days(least);
}
