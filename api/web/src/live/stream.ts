/** Holds the one EventSource: opens it, keeps its place, and opens it again when it gave up. */
import type { FarmEvent, Progress, WorkerSign } from "@/api/types";
import { backoffMs } from "./backoff";
import type { StreamMessage, StreamState } from "./messages";

const SILENT_TOO_LONG_MS = 60_000;
/** `EventSource.CLOSED`: it gave up. */
const CLOSED = 2;

interface Hello {
  last_id: number;
  boot: string;
}

export interface StreamParts {
  open: (url: string) => EventSource;
  /** Whether the session still holds; asked when the stream is refused. */
  loggedIn: () => Promise<boolean>;
  post: (message: StreamMessage) => void;
  now?: () => number;
  random?: () => number;
}

export class Stream {
  private source: EventSource | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempts = 0;
  private lastId: number | null = null;
  private boot: string | null = null;
  private lastHeard = 0;
  private state: StreamState = "connecting";
  private since: number;
  private readonly parts: Required<StreamParts>;

  constructor(parts: StreamParts) {
    this.parts = { now: Date.now, random: Math.random, ...parts };
    this.since = this.parts.now();
  }

  start(): void {
    if (!this.source && this.timer === undefined) this.open();
  }

  /** Nobody listens any more; who comes next asks for everything anyway. */
  stop(): void {
    this.close();
    this.lastId = null;
    this.boot = null;
    this.setState("connecting");
  }

  currentState(): StreamMessage {
    return { type: "state", state: this.state, since: this.since };
  }

  /** After sleep a connection may look open and be dead: nobody hears the server's keep-alive comments. */
  check(): void {
    const silent = this.parts.now() - this.lastHeard > SILENT_TOO_LONG_MS;
    if (this.state === "open" ? silent : this.timer !== undefined) this.reopen();
  }

  private reopen(): void {
    this.close();
    this.setState("reconnecting");
    this.open();
  }

  private close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.source?.close();
    this.source = null;
  }

  private open(): void {
    const place = this.lastId === null ? "" : `?last_event_id=${this.lastId}`;
    const source = this.parts.open(`/api/events${place}`);
    this.source = source;
    source.onopen = () => {
      this.heard();
      this.attempts = 0;
      this.setState("open");
    };
    source.onerror = () => this.onError(source);
    on<Hello>(source, "hello", (hello) => this.onHello(hello));
    on<FarmEvent>(source, "change", (event) => {
      this.heard();
      this.lastId = Math.max(this.lastId ?? 0, event.id);
      this.parts.post({ type: "change", event });
    });
    on<Progress>(source, "progress", (progress) => this.pass({ type: "progress", progress }));
    on<WorkerSign>(source, "worker", (worker) => this.pass({ type: "worker", worker }));
    on(source, "reset", () => this.pass({ type: "reset" }));
  }

  private onHello(hello: Hello): void {
    this.heard();
    const anotherServer = this.boot !== null && this.boot !== hello.boot;
    const missedSomething = this.lastId !== null && hello.last_id !== this.lastId;
    this.boot = hello.boot;
    this.lastId = hello.last_id;
    if (anotherServer || missedSomething) this.parts.post({ type: "reset" });
  }

  private pass(message: StreamMessage): void {
    this.heard();
    this.parts.post(message);
  }

  private heard(): void {
    this.lastHeard = this.parts.now();
  }

  private onError(source: EventSource): void {
    if (source !== this.source) return;
    this.setState(this.state === "connecting" ? "connecting" : "reconnecting");
    // While it is not closed the browser tries again by itself.
    if (source.readyState !== CLOSED) return;
    this.source = null;
    void this.afterRefusal();
  }

  private async afterRefusal(): Promise<void> {
    const wait = backoffMs(this.attempts++, this.parts.random);
    this.setState("reconnecting");
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.open();
    }, wait);
    if (!(await this.parts.loggedIn())) {
      this.close();
      this.parts.post({ type: "unauthorized" });
    }
  }

  private setState(state: StreamState): void {
    if (state === this.state) return;
    this.state = state;
    this.since = this.parts.now();
    this.parts.post(this.currentState());
  }
}

function on<T>(source: EventSource, name: string, handle: (data: T) => void): void {
  source.addEventListener(name, (event) => handle(JSON.parse((event as MessageEvent<string>).data) as T));
}

/** `false` only for a definite no: a server that is away says nothing about the session. */
export async function askIfLoggedIn(): Promise<boolean> {
  try {
    return (await fetch("/api/me", { credentials: "same-origin" })).status !== 401;
  } catch {
    return true;
  }
}
