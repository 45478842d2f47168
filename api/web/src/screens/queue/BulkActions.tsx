import { ActionIcon, Tooltip } from "@mantine/core";
import { RotateCw, X } from "lucide-react";
import type { Job } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { confirm } from "@/components/confirm";
import { focusHeading } from "@/components/focusHeading";
import type { Selection } from "@/components/useSelection";
import { queueTexts as texts } from "@/texts/queue";
import { prioritiseJobs, retryJobs } from "./bulk";
import { PriorityMenu } from "./PriorityMenu";
import { priorityWords } from "./priority";
import type { Bulk } from "./useBulk";
import { jobCalls } from "./useJobActions";

export type BulkAction = "retry" | "cancel" | "priority";

interface BulkActionsProps {
  selection: Selection<Job>;
  can: readonly BulkAction[];
  bulk: Bulk;
}

/** The buttons for all selected jobs at once. They go away with the selection, and the focus to the title. */
export function BulkActions({ selection: { chosen, clear }, can, bulk }: BulkActionsProps) {
  const busy = bulk.done !== null;
  const ids = chosen.map(({ id }) => id);
  const away = (work: Promise<void>) => void work.then(focusHeading);
  return (
    <>
      {can.includes("retry") && (
        <BusyButton
          size="xs"
          busy={busy}
          leftSection={<RotateCw size={14} aria-hidden />}
          onClick={() => away(bulk.runAll(() => retryJobs({ ids }), texts.report.requeued))}
        >
          {texts.selection.retry}
        </BusyButton>
      )}
      {can.includes("priority") && (
        <PriorityMenu
          title={texts.priorityDialog.ofJobs(chosen.length)}
          busy={busy}
          onChosen={(priority) =>
            away(
              bulk.runAll(() => prioritiseJobs({ ids }, priority), texts.report.prioritySet(priorityWords(priority))),
            )
          }
        >
          {texts.selection.priority}
        </PriorityMenu>
      )}
      {can.includes("cancel") && (
        <BusyButton
          size="xs"
          variant="default"
          busy={busy}
          onClick={() =>
            confirm({
              title: texts.selection.cancelJobs(chosen.length),
              text: texts.selection.cancelText,
              confirm: texts.selection.cancelJobs(chosen.length),
              onConfirm: () => away(bulk.runEach(jobCalls.cancel, texts.report.cancelled)),
            })
          }
        >
          {texts.selection.cancel}
        </BusyButton>
      )}
      {!busy && (
        <Tooltip label={texts.selection.clear}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            visibleFrom="xs"
            aria-label={texts.selection.clear}
            onClick={() => {
              clear();
              focusHeading();
            }}
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </>
  );
}
