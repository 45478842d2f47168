/** Brings the messages of the stream into the query cache. */
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { sessionEnded } from "@/api/session";
import type { Progress, WorkerSign } from "@/api/types";
import { affectedKeys } from "./affected";
import { setConnection } from "./connection";
import { gpusChanged } from "./gpus";
import { Invalidations } from "./invalidations";
import type { StreamMessage } from "./messages";
import { applyProgress, applyWorker, knownWorkers } from "./progress";

const NEVER_CHANGES: ReadonlySet<unknown> = new Set([keys.me[0], keys.version[0]]);

export class Receiver {
  private readonly progress = new Map<string, Progress>();
  private readonly workers = new Map<string, WorkerSign>();
  private readonly invalidations: Invalidations;
  private startedAt = Date.now();
  private wasOpen = false;
  private frame: number | undefined;
  private readonly client: QueryClient;

  constructor(client: QueryClient) {
    this.client = client;
    this.invalidations = new Invalidations((queryKey) => askAgain(client, queryKey));
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
      case "worker":
        // A new one tells what its machine can do with its first heartbeat, and that is not in the message.
        if (this.isNews(message.worker)) this.invalidations.add([keys.workers, keys.overview, keys.health]);
        if (this.hasGpuNews(message.worker)) this.invalidations.add([keys.workers, keys.jobs.next]);
        applyWorker(this.client, message.worker);
        break;
      case "reset":
        this.refreshEverything();
        break;
      case "unauthorized":
        sessionEnded();
    }
  }

  /** For a page that was away and heard nothing. */
  startOver(): void {
    this.wasOpen = false;
    this.startedAt = Date.now();
    this.refreshEverything();
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

  /** Whether a worker does something else than before; its mere heartbeats are no reason to ask for anything. */
  private isNews(seen: WorkerSign): boolean {
    const listed = knownWorkers(this.client);
    const known = listed?.find(({ id }) => id === seen.id) ?? this.workers.get(seen.id);
    this.workers.set(seen.id, seen);
    if (!known) return listed !== undefined;
    return known.status !== seen.status || known.draining !== seen.draining;
  }

  /** Whether a GPU is in another state: why, and what waits for it, is not in the message. */
  private hasGpuNews(seen: WorkerSign): boolean {
    const listed = knownWorkers(this.client)?.find(({ id }) => id === seen.id);
    return listed !== undefined && gpusChanged(listed, seen);
  }

  private flushProgress(): void {
    this.frame = undefined;
    for (const progress of this.progress.values()) applyProgress(this.client, progress);
    this.progress.clear();
  }
}

async function askAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  // What is under way is waited for: cut off again and again, a long list would never arrive.
  const underWay = client.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" });
  await Promise.allSettled(underWay.map((query) => query.promise));
  // In a hidden tab it is only noted; what is old is asked for when somebody looks at the tab.
  const refetchType = document.visibilityState === "hidden" ? "none" : "active";
  await client.invalidateQueries({ queryKey, refetchType });
}
