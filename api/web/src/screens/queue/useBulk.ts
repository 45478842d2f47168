import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { runEach, tellBulk } from "@/api/bulk";
import { messageOf } from "@/api/problem";
import type { Job } from "@/api/types";
import type { Selection } from "@/components/useSelection";
import { queueTexts as texts } from "@/texts/queue";
import { type BulkReport, reportColor, reportWords } from "./bulk";
import { queueKeys } from "./useJobActions";

export interface Bulk {
  /** How many are done; null while nothing is under way. */
  done: number | null;
  /** One call for all selected jobs; tells how it went: "12 jobs requeued." */
  runAll: (call: () => Promise<BulkReport>, verb: string) => Promise<void>;
  /** A call for each, for what the server does one by one. */
  runEach: (act: (job: Job) => Promise<unknown>, verb: string) => Promise<void>;
}

const LONG_MS = 15_000;

export function useBulk({ chosen, clear }: Selection<Job>): Bulk {
  const client = useQueryClient();
  const [done, setDone] = useState<number | null>(null);
  const end = () => {
    setDone(null);
    for (const queryKey of queueKeys) void client.invalidateQueries({ queryKey });
    clear();
  };
  return {
    done,
    runAll: async (call, verb) => {
      setDone(0);
      try {
        const report = await call();
        const autoClose = report.skipped === 0 ? undefined : LONG_MS;
        notifications.show({ message: reportWords(report, verb), color: reportColor(report), autoClose });
      } catch (error) {
        notifications.show({ title: texts.selection.failed, message: messageOf(error), color: "red" });
      }
      end();
    },
    runEach: async (act, verb) => {
      setDone(0);
      tellBulk(await runEach(chosen, act, setDone), texts.report.job, verb);
      end();
    },
  };
}
