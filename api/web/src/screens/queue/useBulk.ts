import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { runEach, tellBulk } from "@/api/bulk";
import type { Job } from "@/api/types";
import type { Selection } from "@/components/useSelection";
import { queueKeys } from "./useJobActions";

export interface Bulk {
  /** How many are done; null while nothing is under way. */
  done: number | null;
  /** Runs an action on every selected job and tells how it went: "12 jobs cancelled." */
  run: (act: (job: Job) => Promise<unknown>, verb: string) => Promise<void>;
}

export function useBulk({ chosen, clear }: Selection<Job>): Bulk {
  const client = useQueryClient();
  const [done, setDone] = useState<number | null>(null);
  const run: Bulk["run"] = async (act, verb) => {
    setDone(0);
    const result = await runEach(chosen, act, setDone);
    setDone(null);
    tellBulk(result, "job", verb);
    for (const queryKey of queueKeys) void client.invalidateQueries({ queryKey });
    clear();
  };
  return { done, run };
}
