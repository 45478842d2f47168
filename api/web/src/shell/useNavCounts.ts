import { useQuery } from "@tanstack/react-query";
import { alertsQuery, healthQuery } from "@/api/queries";
import type { ServiceHealth } from "@/api/types";
import type { Tone } from "@/format/words";
import { onlineOf } from "@/format/workers";
import { shellTexts } from "@/texts/shell";
import { useUploadStatus } from "@/uploads/status";
import type { PagePath } from "./pages";

const texts = shellTexts.counts;

export interface NavCount {
  value: number;
  tone: Tone;
  /** For those who do not see the colour: "3 waiting". */
  text: string;
}

/** The numbers behind the names in the navigation. */
export function useNavCounts(): Partial<Record<PagePath, NavCount[]>> {
  const { data } = useQuery(healthQuery());
  const alerts = useQuery(alertsQuery());
  const { running, stuck } = useUploadStatus();
  const uploads = shown([
    { value: running, tone: "neutral", text: texts.uploading(running) },
    { value: stuck, tone: "bad", text: texts.uploadsStuck(stuck) },
  ]);
  const firing = alerts.data?.items.filter(({ firing }) => firing).length ?? 0;
  const fires = shown([{ value: firing, tone: "bad", text: texts.alerts(firing) }]);
  return { "/upload": uploads, "/alerts": fires, ...(data ? countsOf(data) : {}) };
}

function countsOf({ processing: { jobs, videos, workers } }: ServiceHealth): Partial<Record<PagePath, NavCount[]>> {
  const online = onlineOf(workers);
  return {
    "/library": shown([{ value: videos.failed, tone: "bad", text: texts.failed(videos.failed) }]),
    "/queue": shown([
      { value: jobs.pending, tone: "neutral", text: texts.waiting(jobs.pending) },
      { value: jobs.errors, tone: "bad", text: texts.failed(jobs.errors) },
    ]),
    "/workers": [
      online === 0
        ? { value: 0, tone: "bad", text: texts.noWorkers }
        : { value: online, tone: "neutral", text: texts.workers(online) },
    ],
  };
}

function shown(counts: NavCount[]): NavCount[] {
  return counts.filter(({ value }) => value > 0);
}
