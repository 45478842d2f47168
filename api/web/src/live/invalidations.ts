/** Asks again for what changed: at once, and then with pauses that grow with what an answer costs. */
import { hashKey, type QueryKey } from "@tanstack/react-query";

const LEAST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 20_000;
/** A pause is so many times as long as the answer took: a list of a thousand rows is not asked for all the time. */
const PAUSE_FACTOR = 4;

/** Of one key, from the first change until it has rested. */
interface Turn {
  changed: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Invalidations {
  private readonly turns = new Map<string, Turn>();
  private readonly askAgain: (key: QueryKey) => Promise<void>;

  /** `askAgain` ends when the answer is there; until then it is not called again for the same key. */
  constructor(askAgain: (key: QueryKey) => Promise<void>) {
    this.askAgain = askAgain;
  }

  add(keys: readonly QueryKey[]): void {
    for (const key of keys) {
      const turn = this.turns.get(hashKey(key));
      if (turn) turn.changed = true;
      else this.begin(key);
    }
  }

  stop(): void {
    for (const { timer } of this.turns.values()) clearTimeout(timer);
    this.turns.clear();
  }

  private begin(key: QueryKey): void {
    const turn: Turn = { changed: true, timer: undefined };
    this.turns.set(hashKey(key), turn);
    // Not within the message: many come together.
    turn.timer = setTimeout(() => void this.take(key, turn));
  }

  private async take(key: QueryKey, turn: Turn): Promise<void> {
    const began = Date.now();
    turn.changed = false;
    await this.askAgain(key);
    const hash = hashKey(key);
    if (this.turns.get(hash) !== turn) return;
    const pause = Math.max(LEAST_PAUSE_MS, (Date.now() - began) * PAUSE_FACTOR);
    turn.timer = setTimeout(
      () => {
        if (turn.changed) void this.take(key, turn);
        else this.turns.delete(hash);
      },
      Math.min(pause, MOST_PAUSE_MS),
    );
  }
}
