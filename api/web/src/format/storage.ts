import type { ServiceHealth } from "@/api/types";
import { formatBytes } from "./bytes";
import type { Tone } from "./words";

const NEARLY = 2;

interface StorageState {
  /** Null where there is no end: in an object store. */
  usedPercent: number | null;
  tone: Tone;
  words: string;
}

/** How full the disk is, and what that means for uploads. */
export function storageState({ free_bytes, total_bytes, reserve_bytes }: ServiceHealth["storage"]): StorageState {
  if (free_bytes === null || total_bytes === null) {
    return { usedPercent: null, tone: "active", words: "An object store, without a limit of its own." };
  }
  const usedPercent = total_bytes > 0 ? (100 * (total_bytes - free_bytes)) / total_bytes : 0;
  const reserve = reserve_bytes > 0 ? `Uploads leave ${formatBytes(reserve_bytes)} free.` : "Nothing is kept free.";
  if (free_bytes < reserve_bytes) return { usedPercent, tone: "bad", words: `Uploads are refused. ${reserve}` };
  if (free_bytes < NEARLY * reserve_bytes) return { usedPercent, tone: "warning", words: `Nearly full. ${reserve}` };
  return { usedPercent, tone: "active", words: reserve };
}
