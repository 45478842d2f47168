import { useMemo } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Job } from "@/api/types";
import { confirm } from "@/components/confirm";
import { queueTexts as texts } from "@/texts/queue";
import { priorityWords } from "./priority";

export const queueKeys = [keys.jobs.all, keys.queues, keys.overview, keys.health, keys.workers];

/** The three things that can be done to a job; a refusal is thrown. */
export const jobCalls = {
  retry: async ({ id }: Job) => {
    const { requeued } = await body(api.POST("/api/queue/jobs/{id}/requeue", { params: { path: { id } } }));
    if (!requeued) throw new Error(texts.menu.notRetried);
  },
  cancel: ({ id }: Job) => api.POST("/api/queue/jobs/{id}/cancel", { params: { path: { id } } }),
  setPriority: async ({ id, status }: Job, priority: number) => {
    if (status !== "pending") throw new Error(texts.menu.notWaiting);
    await api.POST("/api/queue/jobs/{id}/priority", { params: { path: { id } }, body: { priority } });
  },
};

export interface JobActions {
  retry: (job: Job) => void;
  /** Asks first. */
  cancel: (job: Job) => void;
  setPriority: (job: Job, priority: number) => void;
}

/** For a single job, with a word on how it went. The object stays the same, so that rows need not render for it. */
export function useJobActions(): JobActions {
  const { mutate: retry } = useAction({
    run: jobCalls.retry,
    done: (_, { video_title }) => texts.menu.requeued(video_title),
    failed: texts.menu.retryFailed,
    touches: queueKeys,
  });
  const { mutate: cancel } = useAction({
    run: jobCalls.cancel,
    done: (_, { video_title }) => texts.menu.cancelled(video_title),
    failed: texts.menu.cancelFailed,
    touches: queueKeys,
  });
  const { mutate: setPriority } = useAction({
    run: ({ job, priority }: { job: Job; priority: number }) => jobCalls.setPriority(job, priority),
    done: (_, { job, priority }) => texts.menu.prioritySet(job.video_title, priorityWords(priority)),
    failed: texts.menu.priorityFailed,
    touches: queueKeys,
  });
  return useMemo(
    () => ({
      retry: (job) => retry(job),
      cancel: (job) =>
        confirm({
          title: texts.menu.cancelTitle,
          text: cancelWords(job),
          confirm: texts.menu.cancelConfirm,
          onConfirm: () => cancel(job),
        }),
      setPriority: (job, priority) => setPriority({ job, priority }),
    }),
    [retry, cancel, setPriority],
  );
}

function cancelWords({ status, video_title, worker_name }: Job): string {
  if (status !== "running") return texts.menu.cancelWaiting(video_title);
  return texts.menu.cancelRunning(video_title, worker_name ?? texts.menu.theWorker);
}
