import { Button, Group, Menu, Paper, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { ChevronDown, CircleX, RotateCw } from "lucide-react";
import { useRef, useState } from "react";
import type { Job } from "@/api/types";
import { confirm } from "@/components/confirm";
import { count, formatNumber } from "@/format/count";
import classes from "./BulkBar.module.css";
import { runEach, type Summary, summarize } from "./bulk";
import { openPriorityDialog } from "./openPriorityDialog";
import { namedPriorities, priorityWords } from "./priority";
import type { Selection } from "./selection";
import { jobCalls, queueKeys } from "./useJobActions";

type Can = "retry" | "cancel" | "priority";

interface BulkBarProps {
  selection: Selection<Job>;
  can: readonly Can[];
}

const colors: Record<Summary["result"], string> = { all: "green", some: "yellow", none: "red" };

/** What can be done to all selected jobs at once. Shown as long as some are. */
export function BulkBar({ selection, can }: BulkBarProps) {
  const client = useQueryClient();
  const [done, setDone] = useState<number | null>(null);
  const priorityButton = useRef<HTMLButtonElement>(null);
  const { chosen, clear } = selection;
  if (chosen.length === 0) return null;
  const jobs = count(chosen.length, "job");

  const run = async (act: (job: Job) => Promise<string | null>, verb: string) => {
    setDone(0);
    const summary = summarize(await runEach(chosen, act, setDone), verb);
    setDone(null);
    notifications.show({
      message: summary.text,
      color: colors[summary.result],
      autoClose: summary.result === "all" ? undefined : 15_000,
    });
    for (const queryKey of queueKeys) void client.invalidateQueries({ queryKey });
    clear();
    document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  };
  const prioritize = (priority: number) =>
    run((job) => jobCalls.setPriority(job, priority), `set to priority ${priorityWords(priority)}`);

  return (
    <Paper className={classes.bar} withBorder shadow="md" p="xs" role="region" aria-label="Selected jobs">
      <Group gap="xs" wrap="wrap">
        <Text size="sm" fw={600} role="status" flex="1 1 auto">
          {done === null ? `${jobs} selected` : `${formatNumber(done)} of ${jobs}`}
        </Text>
        {can.includes("retry") && (
          <Button
            size="xs"
            loading={done !== null}
            leftSection={<RotateCw size={14} aria-hidden />}
            onClick={() => run(jobCalls.retry, "put back into the queue")}
          >
            Retry
          </Button>
        )}
        {can.includes("priority") && (
          <Menu position="top" shadow="md">
            <Menu.Target>
              <Button
                ref={priorityButton}
                size="xs"
                variant="default"
                disabled={done !== null}
                rightSection={<ChevronDown size={14} aria-hidden />}
              >
                Priority
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {namedPriorities.map(({ value, label }) => (
                <Menu.Item key={value} onClick={() => prioritize(value)}>
                  {label} ({value})
                </Menu.Item>
              ))}
              <Menu.Item
                onClick={() => {
                  priorityButton.current?.focus();
                  openPriorityDialog({ title: `Priority of ${jobs}`, start: 0, onChosen: prioritize });
                }}
              >
                Another number…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
        {can.includes("cancel") && (
          <Button
            size="xs"
            variant="default"
            disabled={done !== null}
            leftSection={<CircleX size={14} aria-hidden />}
            onClick={() =>
              confirm({
                title: `Cancel ${jobs}`,
                text: "Waiting ones leave the queue and workers stop those that run. They can be retried later.",
                confirm: `Cancel ${jobs}`,
                onConfirm: () => void run(jobCalls.cancel, "cancelled"),
              })
            }
          >
            Cancel
          </Button>
        )}
        <Button size="xs" variant="subtle" color="gray" disabled={done !== null} onClick={clear}>
          Select none
        </Button>
      </Group>
    </Paper>
  );
}
