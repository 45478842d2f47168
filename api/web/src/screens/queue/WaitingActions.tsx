import { Group } from "@mantine/core";
import { queueTexts as texts } from "@/texts/queue";
import { type BulkReport, prioritiseJobs, reportColor, reportWords } from "./bulk";
import { isFiltered, type JobFilter } from "./jobFilter";
import { PriorityMenu } from "./PriorityMenu";
import { priorityWords } from "./priority";
import { useMatching } from "./useMatching";

/** For everything that waits and matches, also what is not listed yet. */
export function WaitingActions({ filter }: { filter: JobFilter }) {
  const { busy, start } = useMatching<BulkReport>();
  const set = (priority: number) =>
    void start({
      call: (dryRun) => prioritiseJobs({ filter: { ...filter, status: "pending" } }, priority, dryRun),
      ask: ({ done }) =>
        done === 0
          ? null
          : {
              title: texts.all.priorityTitle(done),
              text: texts.all.priorityText(done, priorityWords(priority)),
              confirm: texts.priorityDialog.set,
              danger: false,
            },
      tell: (report) => ({
        message: reportWords(report, texts.report.prioritySet(priorityWords(priority))),
        color: reportColor(report),
      }),
      failed: texts.menu.priorityFailed,
    });
  return (
    <Group gap="xs" mb="xs">
      <PriorityMenu title={texts.priorityDialog.ofAll} busy={busy} onChosen={set}>
        {isFiltered(filter) ? texts.all.priorityMatching : texts.all.priority}
      </PriorityMenu>
    </Group>
  );
}
