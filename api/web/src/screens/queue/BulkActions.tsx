import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { ChevronDown, RotateCw, X } from "lucide-react";
import { useRef } from "react";
import type { Job } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { confirm } from "@/components/confirm";
import { focusHeading } from "@/components/focusHeading";
import type { Selection } from "@/components/useSelection";
import { count } from "@/format/count";
import { openPriorityDialog } from "./openPriorityDialog";
import { namedPriorities, priorityWords } from "./priority";
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
  const jobs = count(chosen.length, "job");
  const run: Bulk["run"] = async (act, verb) => {
    await bulk.run(act, verb);
    focusHeading();
  };
  return (
    <>
      {can.includes("retry") && (
        <BusyButton
          size="xs"
          busy={busy}
          leftSection={<RotateCw size={14} aria-hidden />}
          onClick={() => run(jobCalls.retry, "put back into the queue")}
        >
          Retry selected
        </BusyButton>
      )}
      {can.includes("priority") && <PriorityMenu jobs={jobs} busy={busy} run={run} />}
      {can.includes("cancel") && (
        <BusyButton
          size="xs"
          variant="default"
          busy={busy}
          onClick={() =>
            confirm({
              title: `Cancel ${jobs}`,
              text: "Waiting ones leave the queue and workers stop those that run. They can be retried later.",
              confirm: `Cancel ${jobs}`,
              onConfirm: () => void run(jobCalls.cancel, "cancelled"),
            })
          }
        >
          Cancel…
        </BusyButton>
      )}
      {!busy && (
        <Tooltip label="Select none">
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            visibleFrom="xs"
            aria-label="Select none"
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

function PriorityMenu({ jobs, busy, run }: { jobs: string; busy: boolean; run: Bulk["run"] }) {
  const button = useRef<HTMLButtonElement>(null);
  const set = (priority: number) =>
    void run((job) => jobCalls.setPriority(job, priority), `set to priority ${priorityWords(priority)}`);
  return (
    <Menu position="bottom-start" shadow="md" disabled={busy} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          ref={button}
          size="xs"
          variant="default"
          aria-disabled={busy}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          Priority
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {namedPriorities.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => set(value)}>
            {label} ({value})
          </Menu.Item>
        ))}
        <Menu.Item
          onClick={() => {
            button.current?.focus();
            openPriorityDialog({ title: `Priority of ${jobs}`, start: 0, onChosen: set });
          }}
        >
          Another number…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
