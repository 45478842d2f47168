import { Group } from "@mantine/core";
import { count } from "@/format/count";
import { prioritiseJobs } from "./bulkCalls";
import { type BulkReport, reportColor, reportWords } from "./bulkReport";
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
              title: `Priority of ${count(done, "waiting job")}`,
              text: `${count(done, "job gets", "jobs get")} the priority ${priorityWords(priority)}, also those that are not listed yet.`,
              confirm: "Set the priority",
              danger: false,
            },
      tell: (report) => ({
        message: reportWords(report, `set to priority ${priorityWords(priority)}`),
        color: reportColor(report),
      }),
      failed: "The priority was not changed",
    });
  return (
    <Group gap="xs" mb="xs">
      <PriorityMenu title="Priority of all of them" busy={busy} onChosen={set}>
        {isFiltered(filter) ? "Priority of all that match" : "Priority of all"}
      </PriorityMenu>
    </Group>
  );
}
