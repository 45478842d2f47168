/** The shared worker: one stream for all tabs, because a browser allows six connections to a server on plain http. */
import type { StreamMessage, TabMessage } from "./messages";
import { askIfLoggedIn, Stream } from "./stream";

const ports = new Set<MessagePort>();

const stream = new Stream({
  open: (url) => new EventSource(url),
  loggedIn: askIfLoggedIn,
  post: (message) => {
    for (const port of ports) port.postMessage(message);
  },
});

function receive(port: MessagePort, message: TabMessage): void {
  switch (message.type) {
    case "join":
      ports.add(port);
      port.postMessage(stream.currentState() satisfies StreamMessage);
      stream.start();
      break;
    case "check":
      stream.check();
      break;
    case "leave":
      ports.delete(port);
      if (ports.size === 0) stream.stop();
  }
}

/** The scope of a shared worker: the DOM library that the rest of the page is checked against does not know it. */
interface SharedScope {
  onconnect: (event: MessageEvent) => void;
}

(self as unknown as SharedScope).onconnect = ({ ports: [port] }) => {
  if (!port) return;
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(port, data);
};
