import type { Video } from "@/api/types";
import { videosTexts } from "@/texts/videos";

/** What goes on in a list, for those who hear it: "2 transcoding, 5 waiting". Empty if nothing does. */
export function spokenList(videos: readonly Pick<Video, "work">[]): string {
  const running = videos.filter(({ work }) => work?.status === "running").length;
  const waiting = videos.filter(({ work }) => work?.status === "pending").length;
  const parts = [running > 0 && videosTexts.transcoding(running), waiting > 0 && videosTexts.waiting(waiting)];
  return parts.filter(Boolean).join(", ");
}
