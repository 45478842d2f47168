import { Group } from "@mantine/core";
import { Eraser, RotateCw } from "lucide-react";
import { BusyButton } from "@/components/BusyButton";
import { queueTexts as texts } from "@/texts/queue";
import {
  type BulkReport,
  type ClearedStatus,
  clearJobs,
  reportColor,
  reportWords,
  retryJobs,
  skippedWords,
} from "./bulk";
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
  failed: { status: "failed", label: texts.all.failed },
  done: { status: "completed", label: texts.all.finished },
  cancelled: { status: "cancelled", label: texts.all.cancelled },
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
              title: texts.all.retryTitle(done, label),
              text: texts.all.retryText(done) + (skipped > 0 ? texts.all.retrySkips(skippedWords(reasons)) : ""),
              confirm: texts.all.retryConfirm(done),
              danger: false,
            },
      tell: (report) => ({ message: reportWords(report, texts.report.requeued), color: reportColor(report) }),
      failed: texts.all.retryFailed,
    });
  return (
    <BusyButton
      variant="default"
      size="xs"
      leftSection={<RotateCw size={14} aria-hidden />}
      busy={busy}
      onClick={retry}
    >
      {isFiltered(filter) ? texts.all.retryMatching : texts.all.retry(label)}
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
              title: texts.all.clearTitle(cleared, label),
              text: texts.all.clearText(cleared),
              confirm: texts.all.clearConfirm(cleared),
            },
      tell: (cleared) => ({ message: texts.all.cleared(cleared), color: "green" }),
      failed: texts.all.clearFailed,
    });
  return (
    <BusyButton variant="default" size="xs" leftSection={<Eraser size={14} aria-hidden />} busy={busy} onClick={clear}>
      {isFiltered(filter) ? texts.all.clearMatching : texts.all.clear(label)}
    </BusyButton>
  );
}
