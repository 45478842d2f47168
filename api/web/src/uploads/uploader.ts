/** The uploads of this tab. They go on while other pages are open. */
import type { TusBody } from "@uppy/tus";
import { onSessionRestored, sessionEnded } from "@/api/session";
import { uploadTexts } from "@/texts/upload";
import { createEngine, type Engine, type NamedPriority, type Priority, type UploadFile } from "./engine";
import { notMediaIn } from "./fileType";
import { refusalText } from "./refusal";
import { rowOf, titleFromName, totalsOf, type UploadRow, unsupportedRow } from "./rows";
import { SpeedMeter } from "./speed";
import { rememberUnfinished, setUploadStatus } from "./status";
import { becomeKeeper } from "./tabs";

export interface NewUploadOptions {
  collection: string;
  priority: Priority;
  /** Whether they go off as soon as they are added. */
  atOnce: boolean;
}

/** What became of files that were to be added. */
export interface Added {
  added: number;
  unsupported: number;
  /** The names of those that are in the list already. */
  listed: string[];
}

export class Uploader {
  private readonly engine: Engine;
  private readonly keepsList: boolean;
  private readonly meters = new Map<string, SpeedMeter>();
  private readonly listeners = new Set<() => void>();
  private rows: UploadRow[] = [];
  /** What was refused before it was sent. */
  private unsupported: UploadRow[] = [];
  private unsupportedSoFar = 0;
  /** What failed because the session had ended. */
  private readonly loggedOut = new Set<string>();

  constructor(engine: Engine, keepsList: boolean) {
    this.engine = engine;
    this.keepsList = keepsList;
    engine.on("state-update", () => this.update());
    engine.on("restored", () => this.goOn());
    engine.on("upload-progress", (file, { bytesUploaded }) => {
      if (file) this.meter(file.id).add(bytesUploaded, Date.now());
    });
    engine.on("upload-success", (file, { body }) => {
      if (file) this.finished(file.id, body?.xhr);
    });
    engine.on("upload-error", (file, _error, response) => {
      if (file) this.failed(file.id, response?.body);
    });
    addEventListener("beforeunload", (event) => {
      const { by } = totalsOf(this.rows);
      if (by.uploading + by.in_line > 0) event.preventDefault();
    });
    addEventListener("online", () => this.retryAll());
    onSessionRestored(() => this.goOnAfterLogin());
    this.update();
    this.goOn();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  getRows = (): UploadRow[] => this.rows;

  /** Bytes a second, of one upload or of all. */
  speed(id?: string): number | null {
    const meters = id === undefined ? [...this.meters.values()] : [this.meter(id)];
    const speeds = meters.map((meter) => meter.speed(Date.now())).filter((speed) => speed !== null);
    return speeds.length === 0 ? null : speeds.reduce((sum, speed) => sum + speed, 0);
  }

  /** Adds files to the list. One that an earlier page began goes on from where it was. */
  async add(files: readonly File[], options: NewUploadOptions): Promise<Added> {
    const outcome: Added = { added: 0, unsupported: 0, listed: [] };
    for (const file of files) {
      const kind = await notMediaIn(file);
      if (kind) {
        this.refuse(file, uploadTexts.notMedia[kind]);
        outcome.unsupported += 1;
      } else if (this.addOne(file, options)) outcome.added += 1;
      else outcome.listed.push(file.name);
    }
    return outcome;
  }

  /** `false` if it is in the list. */
  private addOne(file: File, { collection, priority: chosen, atOnce }: NewUploadOptions): boolean {
    const priority: NamedPriority = chosen === "normal" ? "" : chosen;
    const meta = { collection, priority, title: titleFromName(file.name) };
    const add = () => this.engine.addFile({ name: file.name, type: file.type, data: file, meta });
    let id: string;
    try {
      id = add();
    } catch {
      if (!this.forgetFinished(file)) return false;
      id = add();
    }
    this.goOnIfStarted(id);
    if (atOnce && !this.engine.getFile(id).progress.uploadStarted) this.start(id);
    return true;
  }

  private refuse(file: File, why: string): void {
    this.unsupportedSoFar += 1;
    this.unsupported = [...this.unsupported, unsupportedRow(`unsupported-${this.unsupportedSoFar}`, file, why)];
    this.update();
  }

  start(id: string): void {
    // Also for files that never ran: `upload()` would first wait for all that failed before.
    void this.engine.retryUpload(id);
  }

  startAll(): void {
    for (const { id } of this.inState("ready")) this.start(id);
  }

  pause(id: string): void {
    if (this.isRunning(id) && !this.engine.getFile(id).isPaused) this.engine.pauseResume(id);
  }

  resume(id: string): void {
    if (!this.isRunning(id)) this.start(id);
    else if (this.engine.getFile(id).isPaused) this.engine.pauseResume(id);
  }

  pauseAll(): void {
    for (const { id } of [...this.inState("uploading"), ...this.inState("in_line")]) this.pause(id);
  }

  resumeAll(): void {
    for (const { id } of this.inState("paused")) this.resume(id);
  }

  retryAll(): void {
    for (const { id } of this.inState("failed")) this.start(id);
  }

  /** Takes it off the list; what the server has of it is dropped. */
  remove(id: string): void {
    if (this.unsupported.some((row) => row.id === id)) {
      this.unsupported = this.unsupported.filter((row) => row.id !== id);
      this.update();
      return;
    }
    const file = this.engine.getFile(id);
    if (!file) return;
    if (!this.isRunning(id) && !file.progress.uploadComplete) dropOnServer(file);
    this.engine.removeFile(id);
    this.meters.delete(id);
  }

  removeAll(): void {
    for (const { id, state } of this.rows) if (state !== "done") this.remove(id);
  }

  clearFinished(): void {
    for (const { id } of this.inState("done")) this.remove(id);
  }

  clearUnsupported(): void {
    for (const { id } of this.unsupported) this.remove(id);
  }

  setTitle(id: string, title: string): void {
    this.engine.setFileMeta(id, { ...this.engine.getFile(id).meta, title });
  }

  private inState(state: UploadRow["state"]): UploadRow[] {
    return this.rows.filter((row) => row.state === state);
  }

  private isRunning(id: string): boolean {
    return Object.values(this.engine.getState().currentUploads).some(({ fileIDs }) => fileIDs.includes(id));
  }

  private meter(id: string): SpeedMeter {
    const known = this.meters.get(id) ?? new SpeedMeter();
    this.meters.set(id, known);
    return known;
  }

  /** After a reload: whatever ran and is still at hand. */
  private goOn(): void {
    for (const file of this.engine.getFiles()) if (!file.isPaused) this.goOnIfStarted(file.id);
  }

  private goOnAfterLogin(): void {
    for (const { id } of this.inState("failed")) if (this.loggedOut.has(id)) this.start(id);
    this.loggedOut.clear();
  }

  private goOnIfStarted(id: string): void {
    const { progress, isGhost, error } = this.engine.getFile(id);
    if (progress.uploadStarted && !progress.uploadComplete && !isGhost && !error) this.start(id);
  }

  /** The same file may be uploaded again once it is done; the server says if it has it. */
  private forgetFinished(file: File): boolean {
    const same = this.rows.find(
      ({ name, size, state }) => state === "done" && name === file.name && size === file.size,
    );
    if (same) this.remove(same.id);
    return same !== undefined;
  }

  private finished(id: string, xhr: XMLHttpRequest | undefined): void {
    const videoId = xhr?.getResponseHeader("framefarm-video-id") ?? undefined;
    const deduplicated = xhr?.getResponseHeader("framefarm-deduplicated") === "true";
    this.engine.setFileState(id, {
      meta: { ...this.engine.getFile(id).meta, videoId, deduplicated },
      response: undefined,
    });
    this.meters.delete(id);
  }

  private failed(id: string, body: TusBody | undefined): void {
    const xhr = body?.xhr;
    if (xhr?.status === 401) this.loggedOut.add(id);
    const error = refusalText(xhr ? { status: xhr.status, text: xhr.responseText } : null);
    if (this.engine.getFile(id)) this.engine.setFileState(id, { error, response: undefined });
    this.meters.delete(id);
    if (xhr?.status === 401) sessionEnded();
  }

  private update(): void {
    const sent = this.engine.getFiles().map((file) => rowOf(file, this.isRunning(file.id)));
    // First, where they are seen among many others.
    this.rows = [...this.unsupported, ...sent];
    const { by, files, done } = totalsOf(this.rows);
    setUploadStatus({
      running: by.uploading + by.in_line,
      stuck: by.failed + by.file_missing + by.unsupported,
      unfinished: files - done,
      interrupted: this.inState("failed").filter(({ id }) => this.loggedOut.has(id)).length,
    });
    if (this.keepsList) rememberUnfinished(files > done);
    for (const listener of this.listeners) listener();
  }
}

/** The engine ends what it runs by itself; what an earlier page began it only forgets. */
function dropOnServer(file: UploadFile): void {
  const url = file.tus?.uploadUrl;
  if (!url) return;
  void fetch(url, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" }, credentials: "same-origin" }).catch(() => {
    // It expires by itself.
  });
}

let uploader: Promise<Uploader> | undefined;

export function getUploader(): Promise<Uploader> {
  uploader ??= createUploader();
  return uploader;
}

async function createUploader(): Promise<Uploader> {
  const keepsList = await becomeKeeper();
  return new Uploader(await createEngine(keepsList), keepsList);
}
