/** What may stand behind the `?` of each page; anything else is dropped. */
import type { VideoStatus } from "@/api/types";

export interface LibrarySearch {
  status?: VideoStatus;
  search?: string;
  collection?: string;
  view?: "table" | "grid";
}

export type QueueTab = "active" | "waiting" | "failed" | "done" | "cancelled";

export interface QueueSearch {
  tab?: QueueTab;
  search?: string;
  worker?: string;
}

export interface LoginSearch {
  next?: string;
}

type Raw = Record<string, unknown>;

const VIDEO_STATUSES = ["pending", "processing", "ready", "failed"] as const;
const QUEUE_TABS = ["active", "waiting", "failed", "done", "cancelled"] as const;

export function librarySearch(raw: Raw): LibrarySearch {
  return {
    status: oneOf(VIDEO_STATUSES, raw.status),
    search: text(raw.search),
    collection: text(raw.collection),
    view: oneOf(["table", "grid"] as const, raw.view),
  };
}

export function queueSearch(raw: Raw): QueueSearch {
  return { tab: oneOf(QUEUE_TABS, raw.tab), search: text(raw.search), worker: text(raw.worker) };
}

export function loginSearch(raw: Raw): LoginSearch {
  return { next: localPath(text(raw.next)) };
}

/** Only a path of this server: a login must not lead elsewhere. */
export function localPath(path: string | undefined): string | undefined {
  if (!path?.startsWith("/") || /^\/[/\\]/.test(path) || path.startsWith("/login")) return undefined;
  return path;
}

function oneOf<T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((known) => known === value);
}

/** A search for digits arrives as a number. */
function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
