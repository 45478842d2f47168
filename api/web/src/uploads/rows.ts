/** What a person sees of an upload, out of what Uppy knows of a file. */

export type UploadState =
  | "ready"
  | "in_line"
  | "uploading"
  | "paused"
  | "failed"
  | "file_missing"
  | "done"
  /** Refused before it was sent: it is no video and no audio. */
  | "unsupported";

export interface UploadRow {
  id: string;
  name: string;
  size: number;
  sent: number;
  percent: number;
  state: UploadState;
  title: string;
  error: string | null;
  videoId: string | null;
  /** The server had the same file already. */
  deduplicated: boolean;
}

/** The part of Uppy's file that decides. */
export interface FileFacts {
  id: string;
  name: string;
  size: number | null;
  error?: string | null;
  isPaused?: boolean;
  isGhost: boolean;
  meta: { title?: string; videoId?: string; deduplicated?: boolean };
  progress: { uploadStarted: number | null; uploadComplete?: boolean; bytesUploaded: number | false };
}

/** `running`: whether this page works on it; after a reload it does not, until somebody says so. */
export function rowOf(file: FileFacts, running: boolean): UploadRow {
  const size = file.size ?? 0;
  const state = stateOf(file, running);
  const sent = state === "done" ? size : file.progress.bytesUploaded || 0;
  return {
    id: file.id,
    name: file.name,
    size,
    sent,
    percent: size === 0 ? 0 : (sent / size) * 100,
    state,
    title: file.meta.title ?? "",
    error: file.error ?? null,
    videoId: file.meta.videoId ?? null,
    deduplicated: file.meta.deduplicated ?? false,
  };
}

function stateOf({ progress, error, isGhost, isPaused }: FileFacts, running: boolean): UploadState {
  if (progress.uploadComplete) return "done";
  if (isGhost) return "file_missing";
  if (error) return "failed";
  if (!progress.uploadStarted) return "ready";
  if (isPaused || !running) return "paused";
  return progress.bytesUploaded ? "uploading" : "in_line";
}

/** `why`: what the file is, and what to do. */
export function unsupportedRow(id: string, { name, size }: File, why: string): UploadRow {
  const nothingSent = { sent: 0, percent: 0, videoId: null, deduplicated: false };
  return { ...nothingSent, id, name, size, title: name, state: "unsupported", error: why };
}

export interface Totals {
  /** Without those that are not sent. */
  files: number;
  size: number;
  sent: number;
  done: number;
  by: Record<UploadState, number>;
}

export function totalsOf(rows: readonly UploadRow[]): Totals {
  const by = { ready: 0, in_line: 0, uploading: 0, paused: 0, failed: 0, file_missing: 0, done: 0, unsupported: 0 };
  let [size, sent] = [0, 0];
  for (const row of rows) {
    by[row.state] += 1;
    if (row.state === "unsupported") continue;
    size += row.size;
    sent += row.sent;
  }
  return { files: rows.length - by.unsupported, size, sent, done: by.done, by };
}

/** "holiday_in-rome.final.mov" → "holiday in-rome.final"; what the file is called is a fair first title. */
export function titleFromName(name: string): string {
  const oneLine = name.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  const withoutExtension = oneLine.replace(/\.[^.]{1,5}$/, "");
  return withoutExtension.replaceAll("_", " ").trim() || oneLine;
}
