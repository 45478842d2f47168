/** Brings the messages of the stream into the query cache. */
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { sessionEnded } from "@/api/session";
import type { Progress } from "@/api/types";
import { affectedKeys } from "./affected";
import { setConnection } from "./connection";
import { Invalidations } from "./invalidations";
import type { StreamMessage } from "./messages";
import { applyProgress, applyWorker } from "./progress";

const NEVER_CHANGES: ReadonlySet<unknown> = new Set([keys.me[0], keys.version[0]]);

export class Receiver {
  private readonly progress = new Map<string, Progress>();
  private readonly invalidations: Invalidations;
  private readonly startedAt = Date.now();
  private wasOpen = false;
  private frame: number | undefined;
  private readonly client: QueryClient;

  constructor(client: QueryClient) {
    this.client = client;
    this.invalidations = new Invalidations((queryKey: QueryKey) => void client.invalidateQueries({ queryKey }));
  }

  receive(message: StreamMessage): void {
    switch (message.type) {
      case "state":
        setConnection({ state: message.state, since: message.since });
        if (message.state === "open") this.onOpen(message.since);
        break;
      case "change":
        this.invalidations.add(affectedKeys(message.event));
        break;
      case "progress":
        this.progress.set(message.progress.job_id, message.progress);
        // In a hidden tab no frame comes: the newest of each job waits for it.
        this.frame ??= requestAnimationFrame(() => this.flushProgress());
        break;
      case "worker": {
        const result = applyWorker(this.client, message.worker);
        // A new one tells what its machine can do with its first heartbeat, and that is not in the message.
        if (result !== "same") this.invalidations.add([keys.workers, keys.overview, keys.health]);
        break;
      }
      case "reset":
        this.refreshEverything();
        break;
      case "unauthorized":
        sessionEnded();
    }
  }

  refreshEverything(): void {
    void this.client.invalidateQueries({ predicate: ({ queryKey }) => !NEVER_CHANGES.has(queryKey[0]) });
  }

  stop(): void {
    this.invalidations.stop();
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
  }

  /** What was asked before the stream opened may have changed unseen in between. */
  private onOpen(since: number): void {
    if (!this.wasOpen && since > this.startedAt) this.refreshEverything();
    this.wasOpen = true;
  }

  private flushProgress(): void {
    this.frame = undefined;
    for (const progress of this.progress.values()) applyProgress(this.client, progress);
    this.progress.clear();
  }
}
