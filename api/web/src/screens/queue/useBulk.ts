import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Job } from "@/api/types";
import { runEach, type Summary, summarize } from "./bulk";
import type { Selection } from "./selection";
import { queueKeys } from "./useJobActions";

const colors: Record<Summary["result"], string> = { all: "green", some: "yellow", none: "red" };

export interface Bulk {
  /** How many are done; null while nothing is under way. */
  done: number | null;
  /** Runs an action on every selected job and tells how it went: "12 jobs cancelled." */
  run: (act: (job: Job) => Promise<string | null>, verb: string) => Promise<void>;
}

export function useBulk({ chosen, clear }: Selection<Job>): Bulk {
  const client = useQueryClient();
  const [done, setDone] = useState<number | null>(null);
  const run: Bulk["run"] = async (act, verb) => {
    setDone(0);
    const { result, text } = summarize(await runEach(chosen, act, setDone), verb);
    setDone(null);
    notifications.show({ message: text, color: colors[result], autoClose: result === "all" ? undefined : 15_000 });
    for (const queryKey of queueKeys) void client.invalidateQueries({ queryKey });
    clear();
  };
  return { done, run };
}
