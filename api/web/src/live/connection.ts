/** Whether the page is up to date, as a store that components can subscribe to. */
import { useSyncExternalStore } from "react";
import type { StreamState } from "./messages";

export interface Connection {
  state: StreamState;
  since: number;
}

let connection: Connection = { state: "connecting", since: Date.now() };
const listeners = new Set<() => void>();

export function setConnection(next: Connection): void {
  connection = next;
  for (const listener of listeners) listener();
}

export function currentConnection(): Connection {
  return connection;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, currentConnection);
}
