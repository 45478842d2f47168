import type { Worker } from "@/api/types";
import { isOnline } from "@/format/workers";

/** What the workers that are online lack of their sandbox, a sentence each. */
export function incompleteSandboxes(workers: readonly Worker[]): string[] {
  return workers
    .filter(({ status }) => isOnline(status))
    .flatMap(({ name, conditions }) =>
      conditions.filter(({ code }) => code === "sandbox_incomplete").map(({ detail }) => `${name}: ${detail}`),
    );
}
