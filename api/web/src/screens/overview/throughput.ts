import type { Throughput, ThroughputBucket } from "@/api/types";
import { formatSpan } from "@/format/duration";
import { overviewTexts as texts } from "@/texts/overview";

const HOUR_SECONDS = 3_600;

export function hasWork({ buckets }: Throughput): boolean {
  return buckets.some(({ completed, failed }) => completed + failed > 0);
}

/** "12 done, 1 failed, 3 h of video." */
export function summary({ buckets }: Throughput): string {
  const sum = (of: (bucket: ThroughputBucket) => number) => buckets.reduce((total, bucket) => total + of(bucket), 0);
  const completed = sum((bucket) => bucket.completed);
  const failed = sum((bucket) => bucket.failed);
  return texts.throughput.summary(
    texts.throughput.jobs(completed, failed),
    formatSpan(sum((bucket) => bucket.video_seconds)),
  );
}

const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayAndHour = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
// Days are counted in UTC by the server; in local time their names could be off by one.
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** Under the axis. */
export function shortLabel(start: string, bucketSeconds: number): string {
  return (bucketSeconds > HOUR_SECONDS ? day : hour).format(Date.parse(start));
}

/** In the table, where nothing around it says which day it was. */
export function longLabel(start: string, bucketSeconds: number): string {
  return (bucketSeconds > HOUR_SECONDS ? day : dayAndHour).format(Date.parse(start));
}
