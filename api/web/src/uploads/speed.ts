const WINDOW_MS = 10_000;
const LEAST_MS = 1_000;

interface Sample {
  at: number;
  sent: number;
}

/** How fast bytes have gone out lately; pauses and jumps backwards start it anew. */
export class SpeedMeter {
  private samples: Sample[] = [];

  add(sent: number, at: number): void {
    const last = this.samples.at(-1);
    if (last && (sent < last.sent || at - last.at > WINDOW_MS)) this.samples = [];
    this.samples.push({ at, sent });
    const from = at - WINDOW_MS;
    while (this.samples.length > 2 && (this.samples[0]?.at ?? at) < from) this.samples.shift();
  }

  /** Bytes a second; null until it can be told. */
  speed(now: number): number | null {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (!first || !last || now - last.at > WINDOW_MS) return null;
    const passed = last.at - first.at;
    return passed < LEAST_MS ? null : ((last.sent - first.sent) / passed) * 1_000;
  }
}

export function secondsLeft(left: number, speed: number | null): number | null {
  return speed === null || speed <= 0 ? null : left / speed;
}
