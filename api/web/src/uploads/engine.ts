/** Uppy, set up for this server. */
import Uppy, { type UppyFile } from "@uppy/core";
import GoldenRetriever from "@uppy/golden-retriever";
import Tus, { type TusBody } from "@uppy/tus";
import { isFinal } from "./refusal";
import { hasUnfinishedUploads } from "./status";

export type Priority = "low" | "normal" | "high";

/** What the server is told: nothing where the priority of the collection counts. */
export type NamedPriority = Exclude<Priority, "normal"> | "";

/** What goes with a file; the first three are sent along. */
export type UploadMeta = {
  title: string;
  collection: string;
  priority: NamedPriority;
  videoId?: string;
  deduplicated?: boolean;
};

export type UploadFile = UppyFile<UploadMeta, TusBody>;
export type Engine = Uppy<UploadMeta, TusBody>;

const MiB = 1024 * 1024;
/** Small enough for the body limits of common proxies. */
const CHUNK_BYTES = 50 * MiB;
const AT_ONCE = 3;
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000];
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** How long the list of an earlier page is waited for: nobody says when there is none. */
const RESTORE_MS = 400;
/** The same when something is known to be in it; a browser with much to do needs more than a moment. */
const EXPECTED_RESTORE_MS = 10_000;

/** Files up to this size are kept in the browser, so that they go on after a reload without being chosen again. */
const KEPT_FILE_BYTES = 200 * MiB;
const KEPT_TOTAL_BYTES = 1024 * MiB;

export async function createEngine(keepsList: boolean): Promise<Engine> {
  const id = keepsList ? "framefarm" : `framefarm-${Math.random().toString(36).slice(2)}`;
  const engine: Engine = new Uppy<UploadMeta, TusBody>({
    id,
    meta: { title: "", collection: "", priority: "" },
  });
  engine.use(Tus, {
    endpoint: "/api/uploads",
    chunkSize: CHUNK_BYTES,
    limit: AT_ONCE,
    retryDelays: RETRY_DELAYS_MS,
    removeFingerprintOnSuccess: true,
    allowedMetaFields: ["name", "title", "collection", "priority"],
    onShouldRetry: (error, _attempt, _options, usual) =>
      isFinal(error.originalResponse?.getStatus() ?? 0) ? false : usual(error),
  });
  if (keepsList) await restore(engine);
  return engine;
}

/** Brings back the list of an earlier page. */
async function restore(engine: Engine): Promise<void> {
  const restored = new Promise<void>((resolve) => {
    engine.once("restored", () => {
      // Its own way to go on treats all files alike; here each is decided on its own.
      engine.setState({ currentUploads: {}, recoveredState: null });
      resolve();
    });
    setTimeout(resolve, hasUnfinishedUploads() ? EXPECTED_RESTORE_MS : RESTORE_MS);
  });
  const limits = { maxFileSize: KEPT_FILE_BYTES, maxTotalSize: KEPT_TOTAL_BYTES };
  engine.use(GoldenRetriever, { expires: KEPT_MS, indexedDB: limits as object });
  await restored;
}
