import type { ServiceHealth } from "@/api/types";
import { commonTexts } from "@/texts/common";
import { formatBytes } from "./bytes";
import type { Tone } from "./words";

const texts = commonTexts.storage;

const NEARLY = 2;

interface StorageState {
  /** Null where there is no limit: in an object store. */
  usedPercent: number | null;
  tone: Tone;
  words: string;
}

/** How full the disk is, and what that means for uploads. */
export function storageState({ free_bytes, total_bytes, reserve_bytes }: ServiceHealth["storage"]): StorageState {
  if (free_bytes === null || total_bytes === null) {
    return { usedPercent: null, tone: "active", words: texts.unlimited };
  }
  const usedPercent = total_bytes > 0 ? (100 * (total_bytes - free_bytes)) / total_bytes : 0;
  const reserve = reserve_bytes > 0 ? texts.reserved(formatBytes(reserve_bytes)) : texts.nothingReserved;
  if (free_bytes < reserve_bytes) return { usedPercent, tone: "bad", words: `${texts.full} ${reserve}` };
  if (free_bytes < NEARLY * reserve_bytes)
    return { usedPercent, tone: "warning", words: `${texts.nearlyFull} ${reserve}` };
  return { usedPercent, tone: "active", words: reserve };
}
