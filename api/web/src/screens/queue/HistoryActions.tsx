import { Group } from "@mantine/core";
import { Eraser, RotateCw } from "lucide-react";
import { BusyButton } from "@/components/BusyButton";
import { count } from "@/format/count";
import { type ClearedStatus, clearJobs, retryJobs } from "./bulkCalls";
import { type BulkReport, reportColor, reportWords, skippedWords } from "./bulkReport";
import type { EndedKind } from "./EndedJobs";
import { isFiltered, type JobFilter } from "./jobFilter";
import { useMatching } from "./useMatching";

interface HistoryActionsProps {
  kind: EndedKind;
  filter: JobFilter;
}

/** For everything that matches at once, also what is not listed yet. */
export function HistoryActions({ kind, filter }: HistoryActionsProps) {
  return (
    <Group gap="xs" mb="xs">
      {kind !== "done" && <RetryAll kind={kind} filter={filter} />}
      <ClearAll kind={kind} filter={filter} />
    </Group>
  );
}

const words: Record<EndedKind, { status: ClearedStatus; label: string }> = {
  failed: { status: "failed", label: "failed" },
  done: { status: "completed", label: "finished" },
  cancelled: { status: "cancelled", label: "cancelled" },
};

function RetryAll({ kind, filter }: HistoryActionsProps) {
  const { busy, start } = useMatching<BulkReport>();
  const { status, label } = words[kind];
  const retry = () =>
    start({
      call: (dryRun) => retryJobs({ filter: { ...filter, status } }, dryRun),
      ask: ({ done, skipped, reasons }) =>
        done === 0 && skipped === 0
          ? null
          : {
              title: `Retry ${count(done, `${label} job`)}`,
              text: `${count(done, "job goes", "jobs go")} back into the queue, also those that are not listed yet.${
                skipped > 0 ? ` Left alone: ${skippedWords(reasons)}.` : ""
              }`,
              confirm: "Retry them",
              danger: false,
            },
      tell: (report) => ({ message: reportWords(report, "put back into the queue"), color: reportColor(report) }),
      failed: "The jobs were not retried",
    });
  return (
    <BusyButton
      variant="default"
      size="xs"
      leftSection={<RotateCw size={14} aria-hidden />}
      busy={busy}
      onClick={retry}
    >
      {isFiltered(filter) ? "Retry all that match…" : `Retry all ${label}…`}
    </BusyButton>
  );
}

function ClearAll({ kind, filter }: HistoryActionsProps) {
  const { busy, start } = useMatching<number>();
  const { status, label } = words[kind];
  const clear = () =>
    start({
      call: (dryRun) => clearJobs(status, filter, dryRun),
      ask: (cleared) =>
        cleared === 0
          ? null
          : {
              title: `Clear ${count(cleared, `${label} job`)}`,
              text: `${count(cleared, "job leaves", "jobs leave")} the history, also those that are not listed yet. Videos and files stay. This cannot be undone.`,
              confirm: "Remove them from the history",
            },
      tell: (cleared) => ({ message: `${count(cleared, "job")} removed from the history.`, color: "green" }),
      failed: "The history was not cleared",
    });
  return (
    <BusyButton variant="default" size="xs" leftSection={<Eraser size={14} aria-hidden />} busy={busy} onClick={clear}>
      {isFiltered(filter) ? "Clear all that match…" : `Clear ${label}…`}
    </BusyButton>
  );
}
