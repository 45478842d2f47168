/** Asks again for what changed: at once, and then at most once a second for each key. */
import { hashKey, type QueryKey } from "@tanstack/react-query";

const APART_MS = 1_000;

export class Invalidations {
  private readonly asked = new Map<string, number>();
  private readonly due = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly invalidate: (key: QueryKey) => void;

  constructor(invalidate: (key: QueryKey) => void) {
    this.invalidate = invalidate;
  }

  add(keys: readonly QueryKey[]): void {
    for (const key of keys) this.due.set(hashKey(key), key);
    this.timer ??= setTimeout(() => this.flush(), 0);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.due.clear();
    this.asked.clear();
  }

  private flush(): void {
    this.timer = undefined;
    const now = Date.now();
    for (const [hash, at] of this.asked) if (now - at >= APART_MS) this.asked.delete(hash);
    for (const [hash, key] of this.due) {
      if (this.asked.has(hash)) continue;
      this.due.delete(hash);
      this.asked.set(hash, now);
      this.invalidate(key);
    }
    if (this.due.size === 0) return;
    const next = Math.min(...[...this.due.keys()].map((hash) => (this.asked.get(hash) ?? now) + APART_MS));
    this.timer = setTimeout(() => this.flush(), Math.max(1, next - now));
  }
}
