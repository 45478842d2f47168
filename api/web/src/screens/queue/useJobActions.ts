import { useMemo } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Job } from "@/api/types";
import { confirm } from "@/components/confirm";
import { priorityWords } from "./priority";

export const queueKeys = [keys.jobs.all, keys.queues, keys.overview, keys.health, keys.workers];

const NOT_RETRIED = "It is not failed any more, or another job does the same work.";

const RUNS = "It runs already; only a waiting job has a place in the queue.";

/** The three things that can be done to a job; a refusal is thrown. */
export const jobCalls = {
  retry: async ({ id }: Job) => {
    const { requeued } = await body(api.POST("/api/queue/jobs/{id}/requeue", { params: { path: { id } } }));
    if (!requeued) throw new Error(NOT_RETRIED);
  },
  cancel: ({ id }: Job) => api.POST("/api/queue/jobs/{id}/cancel", { params: { path: { id } } }),
  setPriority: async ({ id, status }: Job, priority: number) => {
    if (status !== "pending") throw new Error(RUNS);
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
    done: (_, { video_title }) => `${video_title} is in the queue again.`,
    failed: "The job was not retried",
    touches: queueKeys,
  });
  const { mutate: cancel } = useAction({
    run: jobCalls.cancel,
    done: (_, { video_title }) => `The job of ${video_title} is cancelled.`,
    failed: "The job was not cancelled",
    touches: queueKeys,
  });
  const { mutate: setPriority } = useAction({
    run: ({ job, priority }: { job: Job; priority: number }) => jobCalls.setPriority(job, priority),
    done: (_, { job, priority }) => `The priority of ${job.video_title} is now ${priorityWords(priority)}.`,
    failed: "The priority was not changed",
    touches: queueKeys,
  });
  return useMemo(
    () => ({
      retry: (job) => retry(job),
      cancel: (job) =>
        confirm({
          title: "Cancel this job",
          text: `${cancelWords(job)} It can be retried later.`,
          confirm: "Cancel the job",
          onConfirm: () => cancel(job),
        }),
      setPriority: (job, priority) => setPriority({ job, priority }),
    }),
    [retry, cancel, setPriority],
  );
}

function cancelWords({ status, video_title, worker_name }: Job): string {
  if (status !== "running") return `${video_title} leaves the queue.`;
  return `${worker_name ?? "The worker"} stops working on ${video_title}.`;
}
