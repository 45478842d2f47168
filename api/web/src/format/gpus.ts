/** Cards that failed, in words. */
import type { Gpu, Worker } from "@/api/types";
import { gpuStateWords } from "./words";
import { isOnline } from "./workers";

/** It should work and does not. One that yields or never could encode is as it has to be. */
export function hasFailed({ state }: Pick<Gpu, "state">): boolean {
  return state === "quarantined" || state === "lost";
}

/** "w1: test GPU (GPU-1): its driver does not answer", for each failed GPU of the workers that are online. */
export function failedGpus(workers: readonly Worker[]): string[] {
  return workers.flatMap(({ name: worker, status, gpus }) =>
    isOnline(status)
      ? gpus.filter(hasFailed).map(({ name, id, reason, state }) => {
          return `${worker}: ${name} (${id}): ${reason || gpuStateWords[state].label.toLowerCase()}`;
        })
      : [],
  );
}
