/** What an action does to a worker and to its jobs, said before it is done. */
import type { Worker } from "@/api/types";
import { count } from "@/format/count";

export function drainWords({ jobs }: Pick<Worker, "jobs">): string {
  const rest = jobs.length === 0 ? "It has no job now." : `It finishes ${its(jobs.length)} first.`;
  return `It takes no new jobs until you end the draining. ${rest}`;
}

export function disableWords({ jobs }: Pick<Worker, "jobs">): string {
  return `It gets no jobs until it is enabled again. ${goBack(jobs.length)}`;
}

export function rotateWords({ worker_type }: Pick<Worker, "worker_type">): string {
  const local =
    worker_type === "local"
      ? "The server starts this worker itself and gives it a key at each start: restart the server afterwards."
      : "Give it the new key and start it again.";
  return `The key it uses now ends at once, and the worker is cut off. ${local} Its jobs stay with it for a while; they go back to the queue if it does not return in time.`;
}

export function revokeWords({ jobs }: Pick<Worker, "jobs">): string {
  return `The worker is shut out for good, unless it gets a new key. ${goBack(jobs.length)}`;
}

export function removeWords({ jobs, status }: Pick<Worker, "jobs" | "status">): string {
  const runs = status === "offline" ? "" : " If the worker still runs, it is shut out.";
  return `The farm forgets it.${runs} ${goBack(jobs.length)} What it finished stays. To come back it has to join again.`;
}

function goBack(jobs: number): string {
  if (jobs === 0) return "It has no job now.";
  return `${jobs === 1 ? "Its job goes" : `Its ${count(jobs, "job")} go`} back to the queue, and another worker goes on from what was delivered.`;
}

function its(jobs: number): string {
  return jobs === 1 ? "its job" : `its ${count(jobs, "job")}`;
}
