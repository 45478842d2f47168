/** Where the thing is that an event speaks of. */
import type { FarmEvent } from "@/api/types";
import type { PagePath } from "@/shell/pages";

export type About =
  | { videoId: string; page?: undefined; label: string }
  | { videoId?: undefined; page: PagePath; label: string };

const PLACES: readonly [begins: RegExp, page: PagePath, label: string][] = [
  [/^(worker|gpu)_/, "/workers", "Workers"],
  [/^(queue|job)_/, "/queue", "Queue"],
  [/^collection_/, "/collections", "Collections"],
  [/^intake_/, "/upload", "Upload"],
  [/^alert_/, "/alerts", "Alerts"],
];

/** Null where there is nothing left to look at. */
export function aboutOf({ kind, video_id }: Pick<FarmEvent, "kind" | "video_id">): About | null {
  if (kind === "video_deleted") return null;
  if (video_id) return { videoId: video_id, label: "Video" };
  const place = PLACES.find(([begins]) => begins.test(kind));
  return place ? { page: place[1], label: place[2] } : null;
}
