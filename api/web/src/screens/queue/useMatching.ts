import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import { confirm, type Question } from "@/components/confirm";
import { focusHeading } from "@/components/focusHeading";
import { queueTexts as texts } from "@/texts/queue";
import { queueKeys } from "./useJobActions";

interface Matching<Result> {
  /** With `true` it only says what would happen. */
  call: (dryRun: boolean) => Promise<Result>;
  /** The question, once that is known; null if there is nothing to do. */
  ask: (preview: Result) => Omit<Question, "onConfirm"> | null;
  tell: (result: Result) => { message: string; color: string };
  failed: string;
}

const LONG_MS = 15_000;

/** A change of everything that matches: first it is asked what would happen, then people are asked, then it is done. */
export function useMatching<Result>() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);

  const guarded = async (failed: string, work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      notifications.show({ title: failed, message: messageOf(error), color: "red", autoClose: LONG_MS });
    }
    setBusy(false);
  };

  const start = ({ call, ask, tell, failed }: Matching<Result>) =>
    guarded(failed, async () => {
      const question = ask(await call(true));
      if (!question) {
        notifications.show({ message: texts.all.nothingLeft, color: "yellow" });
        return;
      }
      const run = async () => {
        const { message, color } = tell(await call(false));
        notifications.show({ message, color, autoClose: color === "green" ? undefined : LONG_MS });
        for (const queryKey of queueKeys) void client.invalidateQueries({ queryKey });
        focusHeading();
      };
      confirm({ ...question, onConfirm: () => void guarded(failed, run) });
    });
  return { busy, start };
}
