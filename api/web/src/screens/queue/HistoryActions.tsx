import { Group } from "@mantine/core";
import { Eraser, RotateCw } from "lucide-react";
import { api, body } from "@/api/client";
import { useAction } from "@/api/mutations";
import { BusyButton } from "@/components/BusyButton";
import { confirm } from "@/components/confirm";
import { focusHeading } from "@/components/focusHeading";
import { count } from "@/format/count";
import type { EndedKind } from "./EndedJobs";
import type { ActiveFilter } from "./useActiveJobs";
import { queueKeys } from "./useJobActions";

/** For the whole history at once; the server does it, however many there are. */
export function HistoryActions({ kind, filter }: { kind: EndedKind; filter: ActiveFilter }) {
  return (
    <Group gap="xs" mb="xs">
      {/* The server cannot retry by worker; the rows of a worker can be selected and retried instead. */}
      {kind !== "done" && !filter.worker && <RetryAll search={filter.search} />}
      <ClearAll kind={kind} filtered={filter.search !== undefined || filter.worker !== undefined} />
    </Group>
  );
}

function RetryAll({ search }: { search: string | undefined }) {
  const retry = useAction({
    run: () => body(api.POST("/api/queue/retry-errors", { params: { query: { search } } })),
    done: ({ retried, skipped }) => retriedText(retried, skipped),
    failed: "The jobs were not retried",
    touches: queueKeys,
  });
  const which = search ? ` whose title contains “${search}”` : "";
  return (
    <BusyButton
      variant="default"
      size="xs"
      leftSection={<RotateCw size={14} aria-hidden />}
      busy={retry.isPending}
      onClick={() =>
        confirm({
          title: search ? "Retry all that match" : "Retry all failed jobs",
          text: `All failed and cancelled jobs${which} go back into the queue, also those that are not listed yet.`,
          confirm: "Retry them",
          danger: false,
          onConfirm: () => retry.mutate(undefined, { onSuccess: focusHeading }),
        })
      }
    >
      {search ? "Retry all that match…" : "Retry all failed…"}
    </BusyButton>
  );
}

function ClearAll({ kind, filtered }: { kind: EndedKind; filtered: boolean }) {
  const done = kind === "done";
  const clear = useAction({
    run: () => body(done ? api.POST("/api/queue/clear-completed") : api.POST("/api/queue/clear-errors")),
    done: ({ cleared }) => `${count(cleared, "job")} removed from the history.`,
    failed: "The history was not cleared",
    touches: queueKeys,
  });
  const what = done ? "All finished jobs are" : "All failed and cancelled jobs are";
  const also = filtered ? ", also those that the filter hides" : "";
  return (
    <BusyButton
      variant="default"
      size="xs"
      leftSection={<Eraser size={14} aria-hidden />}
      busy={clear.isPending}
      onClick={() =>
        confirm({
          title: done ? "Clear finished jobs" : "Clear failed jobs",
          text: `${what} removed from the history${also}. Videos and files stay. This cannot be undone.`,
          confirm: "Remove them from the history",
          onConfirm: () => clear.mutate(undefined, { onSuccess: focusHeading }),
        })
      }
    >
      {done ? "Clear finished…" : "Clear failed…"}
    </BusyButton>
  );
}

function retriedText(retried: number, skipped: number): string {
  const told = `${count(retried, "job")} put back into the queue.`;
  if (skipped === 0) return told;
  return `${told} ${count(skipped, "job")} left alone: another job does the same work, or the video is gone.`;
}
