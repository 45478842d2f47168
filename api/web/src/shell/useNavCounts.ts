import { useQuery } from "@tanstack/react-query";
import { alertsQuery, healthQuery } from "@/api/queries";
import type { ServiceHealth } from "@/api/types";
import { count } from "@/format/count";
import type { Tone } from "@/format/words";
import { onlineOf } from "@/format/workers";
import { useUploadStatus } from "@/uploads/status";
import type { PagePath } from "./pages";

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
    { value: running, tone: "neutral", text: `${running} uploading` },
    { value: stuck, tone: "bad", text: `${stuck} ${stuck === 1 ? "needs" : "need"} you` },
  ]);
  const firing = alerts.data?.items.filter(({ firing }) => firing).length ?? 0;
  const fires = shown([{ value: firing, tone: "bad", text: `${firing} ${firing === 1 ? "needs" : "need"} a look` }]);
  return { "/upload": uploads, "/alerts": fires, ...(data ? countsOf(data) : {}) };
}

function countsOf({ processing: { jobs, videos, workers } }: ServiceHealth): Partial<Record<PagePath, NavCount[]>> {
  const online = onlineOf(workers);
  return {
    "/library": shown([{ value: videos.failed, tone: "bad", text: `${videos.failed} failed` }]),
    "/queue": shown([
      { value: jobs.pending, tone: "neutral", text: `${jobs.pending} waiting` },
      { value: jobs.errors, tone: "bad", text: `${jobs.errors} failed` },
    ]),
    "/workers": [
      online === 0
        ? { value: 0, tone: "bad", text: "none online" }
        : { value: online, tone: "neutral", text: count(online, "worker online", "workers online") },
    ],
  };
}

function shown(counts: NavCount[]): NavCount[] {
  return counts.filter(({ value }) => value > 0);
}
