/** Loads a part of the page although the server may be away, or may have other parts by now. */
import { loadFailedStyles } from "./failedStyles";

const AGAIN_AFTER_MS = 2_000;
/** Once may be the moment at which the server comes back. */
const REFUSALS = 2;

/** The server is there and does not have it: it was updated, or the browser keeps the failure in mind. */
export class PartGone extends Error {
  override name = "PartGone";
}

interface Waiting {
  /** Told when the server turns out to be away. */
  onAway?: () => void;
  signal?: AbortSignal;
  /** For tests. */
  isServerThere?: () => Promise<boolean>;
  wait?: () => Promise<void>;
}

/** Goes on until the part is here; rejects with `PartGone`, or as soon as nobody wants it any more. */
export async function loadPatiently<T>(load: () => Promise<T>, waiting: Waiting = {}): Promise<T> {
  const { onAway, signal, isServerThere = askServer, wait = pause } = waiting;
  let refusals = 0;
  for (;;) {
    try {
      await loadFailedStyles();
      return await load();
    } catch (error) {
      const isThere = await isServerThere();
      signal?.throwIfAborted();
      if (isThere) refusals += 1;
      else onAway?.();
      if (refusals >= REFUSALS) throw new PartGone(String(error), { cause: error });
    }
    await wait();
    signal?.throwIfAborted();
  }
}

async function askServer(): Promise<boolean> {
  try {
    return (await fetch("/version", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
}
