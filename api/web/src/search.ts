/** What may stand behind the `?` of each page; anything else is dropped. */
import type { DeliveryStatus, ErrorClass, EventKind, VideoStatus } from "@/api/types";
import { isErrorClass } from "@/format/errors";
import { isEventKind } from "@/format/events";

export interface VideosSearch {
  status?: VideoStatus;
  search?: string;
  collection?: string;
  view?: "table" | "grid";
}

export type QueueTab = "active" | "waiting" | "stuck" | "failed" | "done" | "cancelled";

export interface QueueSearch {
  tab?: QueueTab;
  search?: string;
  worker?: string;
  error?: ErrorClass;
  /** Of what runs for long: for so many seconds at least. */
  older?: number;
}

/** Which deliveries are shown. */
export interface AlertsSearch {
  endpoint?: string;
  status?: DeliveryStatus;
}

/** Which lines of the audit log are shown. */
export interface SettingsSearch {
  /** Also what comes in crowds while jobs run. */
  everything?: boolean;
  /** `people`, or somebody exactly as the log tells them. */
  who?: string;
  kind?: EventKind;
  search?: string;
}

export interface LoginSearch {
  next?: string;
}

/** Seconds after which a job runs for long. */
export const STUCK_AFTER = [120, 600, 3_600, 21_600] as const;

type Raw = Record<string, unknown>;

const VIDEO_STATUSES = ["pending", "processing", "ready", "failed"] as const;
const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
const QUEUE_TABS = ["active", "waiting", "stuck", "failed", "done", "cancelled"] as const;

export function videosSearch(raw: Raw): VideosSearch {
  return {
    status: oneOf(VIDEO_STATUSES, raw.status),
    search: text(raw.search),
    collection: text(raw.collection),
    view: oneOf(["table", "grid"] as const, raw.view),
  };
}

export function queueSearch(raw: Raw): QueueSearch {
  const error = text(raw.error);
  return {
    tab: oneOf(QUEUE_TABS, raw.tab),
    search: text(raw.search),
    worker: text(raw.worker),
    error: error && isErrorClass(error) ? error : undefined,
    older: oneOf(STUCK_AFTER, raw.older),
  };
}

export function alertsSearch(raw: Raw): AlertsSearch {
  return { endpoint: text(raw.endpoint), status: oneOf(DELIVERY_STATUSES, raw.status) };
}

export function settingsSearch(raw: Raw): SettingsSearch {
  const kind = text(raw.kind);
  return {
    everything: raw.everything === true || undefined,
    who: text(raw.who),
    kind: kind && isEventKind(kind) ? kind : undefined,
    search: text(raw.search),
  };
}

export function loginSearch(raw: Raw): LoginSearch {
  return { next: localPath(text(raw.next)) };
}

/** Only a path of this server: a login must not lead elsewhere. */
export function localPath(path: string | undefined): string | undefined {
  if (!path?.startsWith("/") || /^\/[/\\]/.test(path) || path.startsWith("/login")) return undefined;
  return path;
}

function oneOf<T extends string | number>(values: readonly T[], value: unknown): T | undefined {
  return values.find((known) => known === value);
}

/** A search for digits arrives as a number. */
function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
