/** How many uploads there are, for the rest of the page; it knows nothing of the uploader, which is loaded late. */
import { useSyncExternalStore } from "react";

export interface UploadStatus {
  running: number;
  /** Failed, of an unsupported type, or waiting for somebody to choose the file again. */
  stuck: number;
  /** All that are not done: a reload would stop them. */
  unfinished: number;
  /** Those that go on after a login. */
  interrupted: number;
}

const UNFINISHED = "framefarm-uploads-unfinished";

let status: UploadStatus = { running: 0, stuck: 0, unfinished: 0, interrupted: 0 };
const listeners = new Set<() => void>();

export function setUploadStatus(next: UploadStatus): void {
  const isSame = (Object.keys(next) as (keyof UploadStatus)[]).every((key) => next[key] === status[key]);
  if (isSame) return;
  status = next;
  for (const listener of listeners) listener();
}

export function useUploadStatus(): UploadStatus {
  return useSyncExternalStore(subscribe, () => status);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether an earlier page left uploads that should go on. */
export function hasUnfinishedUploads(): boolean {
  return read() === "yes";
}

export function rememberUnfinished(unfinished: boolean): void {
  const wanted = unfinished ? "yes" : null;
  if (read() === wanted) return;
  try {
    if (wanted) localStorage.setItem(UNFINISHED, wanted);
    else localStorage.removeItem(UNFINISHED);
  } catch {
    // Storage may be switched off: uploads then go on when the upload page is opened.
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(UNFINISHED);
  } catch {
    return null;
  }
}
