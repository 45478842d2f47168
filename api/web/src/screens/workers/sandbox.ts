import type { Worker } from "@/api/types";
import { isOnline } from "@/format/workers";

/** Which layers of the sandbox the online workers lack, a sentence each. */
export function incompleteSandboxes(workers: readonly Worker[]): string[] {
  return workers
    .filter(({ status }) => isOnline(status))
    .flatMap(({ name, conditions }) =>
      conditions.filter(({ code }) => code === "sandbox_incomplete").map(({ detail }) => `${name}: ${detail}`),
    );
}
