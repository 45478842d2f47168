/** The way of this tab to the stream: through the shared worker, or its own where there is none. */
import type { StreamMessage, TabMessage } from "./messages";
import { askIfLoggedIn, Stream } from "./stream";

export interface Source {
  send: (message: TabMessage) => void;
}

export function connect(receive: (message: StreamMessage) => void): Source {
  return sharedSource(receive) ?? ownSource(receive);
}

function sharedSource(receive: (message: StreamMessage) => void): Source | null {
  if (typeof SharedWorker === "undefined") return null;
  try {
    const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), {
      type: "module",
      name: "framefarm-live",
    });
    worker.port.onmessage = ({ data }: MessageEvent<StreamMessage>) => receive(data);
    return { send: (message) => worker.port.postMessage(message) };
  } catch {
    return null;
  }
}

function ownSource(receive: (message: StreamMessage) => void): Source {
  const stream = new Stream({ open: (url) => new EventSource(url), loggedIn: askIfLoggedIn, post: receive });
  return {
    send: ({ type }) => {
      if (type === "join") stream.start();
      if (type === "check") stream.check();
      if (type === "leave") stream.stop();
    },
  };
}
