/** Whether the session of this browser holds; all its tabs share one. */
import { useSyncExternalStore } from "react";
import { askIfLoggedIn } from "@/live/stream";

type Message = "restored" | "loggedOut";

const listeners = new Set<() => void>();
const resumers = new Set<() => void>();
let ended = false;
let asking = false;
let toLogin: (() => void | Promise<void>) | null = null;

const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("framefarm-session");
if (tabs) {
  tabs.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data === "restored") resume();
    else void toLogin?.();
  };
}

/** A request was refused. One that was sent before a login and answered after it says nothing: the server is asked. */
export function sessionEnded(): void {
  if (ended || asking) return;
  asking = true;
  void askIfLoggedIn().then((loggedIn) => {
    asking = false;
    set(!loggedIn);
  });
}

/** Somebody logged in. */
export function sessionRestored(): void {
  tabs?.postMessage("restored" satisfies Message);
  resume();
}

/** Somebody logged out, and wants nothing to be seen any more in the other tabs either. */
export function loggedOut(): void {
  tabs?.postMessage("loggedOut" satisfies Message);
}

export function onLoggedOutElsewhere(handler: () => void | Promise<void>): void {
  toLogin = handler;
}

/** For what the end of the session interrupted; returns what takes it back. */
export function onSessionRestored(resumer: () => void): () => void {
  resumers.add(resumer);
  return () => resumers.delete(resumer);
}

export function hasSessionEnded(): boolean {
  return ended;
}

export function useSessionHasEnded(): boolean {
  return useSyncExternalStore(subscribe, hasSessionEnded);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function resume(): void {
  set(false);
  for (const resumer of resumers) resumer();
}

function set(isEnded: boolean): void {
  ended = isEnded;
  for (const listener of listeners) listener();
}
