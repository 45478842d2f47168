/** What can be asked to happen to a video. */
import { api, body } from "@/api/client";

const of = (id: string) => ({ params: { path: { id } } });

export interface VideoChange {
  title?: string;
  /** Null takes it out of its collection. */
  collection?: string | null;
}

export interface RetranscodeChoice {
  /** Null is all of them. */
  qualities: string[] | null;
  priority: "high" | "normal" | "low";
}

export const retryVideo = (id: string) => body(api.POST("/api/videos/{id}/retry", of(id)));

export const cancelVideo = (id: string) => body(api.POST("/api/videos/{id}/cancel", of(id)));

export const deleteVideo = (id: string) => api.DELETE("/api/videos/{id}", of(id));

export const restoreVideo = (id: string) => body(api.POST("/api/videos/{id}/restore", of(id)));

export const changeVideo = (id: string, change: VideoChange) =>
  body(api.PATCH("/api/videos/{id}", { ...of(id), body: change }));

export const retranscodeVideo = (id: string, { qualities, priority }: RetranscodeChoice) =>
  body(
    api.POST("/api/videos/{id}/retranscode", {
      ...of(id),
      body: { priority, ...(qualities ? { qualities } : { retranscode_all: true }) },
    }),
  );

export const sourceUrl = (id: string) => `/api/videos/${encodeURIComponent(id)}/source`;

/** Where it plays, for other sites too. */
export const absoluteUrl = (path: string) => new URL(path, location.origin).href;
