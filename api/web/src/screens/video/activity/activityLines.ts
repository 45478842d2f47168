/** The lines of the activity list: newest first, deliveries in a row told as one. */

import type { FarmEvent } from "@/api/types";
import { qualityLabel } from "@/format/quality";
import { videoTexts } from "@/texts/video";
import { type EventWords, eventWords, partOf, type WorkerNames } from "./eventWords";

const texts = videoTexts.activity;

export interface ActivityLine extends EventWords {
  /** Of its newest event. */
  id: number;
  at: string;
}

export function activityLines(events: readonly FarmEvent[], workers: WorkerNames = new Map()): ActivityLine[] {
  const newestFirst = [...events].sort((a, b) => b.id - a.id);
  const lines: ActivityLine[] = [];
  for (let index = 0; index < newestFirst.length; ) {
    const run = deliveriesFrom(newestFirst, index);
    const [event] = run;
    if (!event) break;
    const words = run.length > 1 ? deliveriesWords(run) : eventWords(event, workers);
    lines.push({ id: event.id, at: event.at, ...words });
    index += run.length;
  }
  return lines;
}

/** The event at `index`, with the deliveries after it if it is one itself. */
function deliveriesFrom(events: readonly FarmEvent[], index: number): FarmEvent[] {
  let end = index + 1;
  if (events[index]?.kind === "part_delivered") {
    while (events[end]?.kind === "part_delivered" && events[end]?.job_id === events[index]?.job_id) end += 1;
  }
  return events.slice(index, end);
}

function deliveriesWords(run: readonly FarmEvent[]): EventWords {
  const segments = new Map<string, number>();
  for (const event of run) {
    const part = partOf(event);
    if (part) segments.set(part.quality, (segments.get(part.quality) ?? 0) + part.last - part.first + 1);
  }
  const total = [...segments.values()].reduce((sum, value) => sum + value, 0);
  const detail = [...segments].map(([quality, value]) => texts.deliveredOf(qualityLabel(quality), value)).join(", ");
  return { text: total > 0 ? texts.allDelivered(total) : texts.delivered, detail, tone: "neutral" };
}
