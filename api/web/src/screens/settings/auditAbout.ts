/** Where the thing is that an event speaks of. */
import type { FarmEvent } from "@/api/types";
import type { PagePath } from "@/shell/pages";
import { settingsTexts } from "@/texts/settings";

const texts = settingsTexts.audit.links;

export type About =
  | { videoId: string; page?: undefined; label: string }
  | { videoId?: undefined; page: PagePath; label: string };

const PLACES: readonly [begins: RegExp, page: PagePath, label: string][] = [
  [/^(worker|gpu)_/, "/workers", texts.workers],
  [/^(queue|job)_/, "/queue", texts.queue],
  [/^collection_/, "/collections", texts.collections],
  [/^intake_/, "/upload", texts.upload],
  [/^alert_/, "/alerts", texts.alerts],
];

/** Null where there is nothing left to look at. */
export function aboutOf({ kind, video_id }: Pick<FarmEvent, "kind" | "video_id">): About | null {
  if (kind === "video_deleted") return null;
  if (video_id) return { videoId: video_id, label: texts.video };
  const place = PLACES.find(([begins]) => begins.test(kind));
  return place ? { page: place[1], label: place[2] } : null;
}
