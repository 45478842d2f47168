/** Keeps this tab up to date from now on; returns what ends it. */
import type { QueryClient } from "@tanstack/react-query";
import { hasSessionEnded } from "@/api/session";
import { currentConnection, setConnection } from "./connection";
import { Receiver } from "./receiver";
import { connect, type Source } from "./source";

const POLL_MS = 10_000;

let source: Source | null = null;
let receiver: Receiver | null = null;

export function startLive(client: QueryClient): () => void {
  const mine = new Receiver(client);
  receiver = mine;
  source ??= connect((message) => receiver?.receive(message));
  const join = () => source?.send({ type: "join" });
  const leave = () => source?.send({ type: "leave" });
  // The browser may keep a page that was left, as it was: it heard nothing in between.
  const comeBack = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    join();
    mine.startOver();
  };
  const check = () => {
    if (document.visibilityState === "visible") source?.send({ type: "check" });
  };
  join();
  addEventListener("pagehide", leave);
  addEventListener("pageshow", comeBack);
  addEventListener("online", check);
  document.addEventListener("visibilitychange", check);
  const poll = setInterval(() => pollIfCutOff(mine), POLL_MS);

  return () => {
    clearInterval(poll);
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", comeBack);
    removeEventListener("online", check);
    document.removeEventListener("visibilitychange", check);
    leave();
    mine.stop();
    receiver = null;
    setConnection({ state: "connecting", since: Date.now() });
  };
}

/** After a login: the stream ended with the session. */
export function resumeLive(): void {
  source?.send({ type: "join" });
}

/** Asking again and again is for when the stream has been away for a while. */
function pollIfCutOff(receiver: Receiver): void {
  const { state, since } = currentConnection();
  if (state === "open" || document.visibilityState === "hidden" || hasSessionEnded()) return;
  if (Date.now() - since >= POLL_MS) receiver.refreshEverything();
}
