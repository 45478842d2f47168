/** Asks again for what changed: at once, and then at most once a second for each key. */
import { hashKey, type QueryKey } from "@tanstack/react-query";

const APART_MS = 1_000;

export class Invalidations {
  private readonly askedAt = new Map<string, number>();
  private readonly due = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly invalidate: (key: QueryKey) => void;

  constructor(invalidate: (key: QueryKey) => void) {
    this.invalidate = invalidate;
  }

  add(keys: readonly QueryKey[]): void {
    for (const key of keys) this.due.set(hashKey(key), key);
    this.schedule();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.due.clear();
    this.askedAt.clear();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.due.size === 0) return;
    const soonest = Math.min(...[...this.due.keys()].map((hash) => this.allowedAt(hash)));
    this.timer = setTimeout(() => this.flush(), Math.max(0, soonest - Date.now()));
  }

  private flush(): void {
    const now = Date.now();
    for (const [hash, key] of this.due) {
      if (this.allowedAt(hash) > now) continue;
      this.due.delete(hash);
      this.askedAt.set(hash, now);
      this.invalidate(key);
    }
    for (const [hash, at] of this.askedAt) if (at + APART_MS <= now) this.askedAt.delete(hash);
    this.schedule();
  }

  private allowedAt(hash: string): number {
    return (this.askedAt.get(hash) ?? Number.NEGATIVE_INFINITY) + APART_MS;
  }
}
