import { Group } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useMemo } from "react";
import { jobsQuery } from "@/api/queries";
import type { JobStatus } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { useKeepFocus } from "@/components/useKeepFocus";
import { useSelection } from "@/components/useSelection";
import { HistoryActions } from "./HistoryActions";
import { JobList } from "./JobList";
import { isFiltered, type JobFilter } from "./jobFilter";
import { NothingFound } from "./NothingFound";
import { SelectionBar } from "./SelectionBar";
import { useJobActions } from "./useJobActions";

export type EndedKind = "failed" | "done" | "cancelled";

const statuses: Record<EndedKind, JobStatus> = { failed: "failed", done: "completed", cancelled: "cancelled" };

interface EndedJobsProps {
  kind: EndedKind;
  filter: JobFilter;
  onClear: () => void;
}

/** The history, newest first. */
export function EndedJobs({ kind, filter, onClear }: EndedJobsProps) {
  const list = useInfiniteQuery({
    ...jobsQuery({ status: statuses[kind], ...filter }),
    placeholderData: keepPreviousData,
  });
  const jobs = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const actions = useJobActions();
  const selection = useSelection(jobs, JSON.stringify(filter));
  const holder = useKeepFocus<HTMLDivElement>(jobs);
  const filtered = isFiltered(filter);

  if (list.isPending) return <RowsSkeleton />;
  if (!list.data) {
    return <ErrorState error={list.error} title="The jobs could not be loaded" retry={() => list.refetch()} />;
  }
  return (
    <div ref={holder}>
      {jobs.length === 0 && (filtered ? <NothingFound onClear={onClear} /> : <Nothing kind={kind} />)}
      {jobs.length > 0 && (
        <>
          <HistoryActions kind={kind} filter={filter} />
          {kind !== "done" && <SelectionBar selection={selection} listed={jobs.length} can={["retry"]} />}
          <JobList
            jobs={jobs}
            label={labels[kind]}
            actions={actions}
            selection={kind === "done" ? undefined : selection}
          />
        </>
      )}
      {list.isFetchNextPageError && <ErrorState error={list.error} title="More could not be loaded" />}
      {list.hasNextPage && (
        <Group justify="center" py="md">
          <BusyButton variant="default" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show more
          </BusyButton>
        </Group>
      )}
    </div>
  );
}

const labels: Record<EndedKind, string> = {
  failed: "Failed jobs, newest first",
  done: "Finished jobs, newest first",
  cancelled: "Cancelled jobs, newest first",
};

function Nothing({ kind }: { kind: EndedKind }) {
  switch (kind) {
    case "failed":
      return (
        <EmptyState icon={CircleCheck} title="Nothing failed">
          Jobs that cannot be finished appear here, with the reason.
        </EmptyState>
      );
    case "done":
      return <EmptyState title="Nothing is finished yet">Finished jobs appear here, newest first.</EmptyState>;
    case "cancelled":
      return <EmptyState title="Nothing was cancelled">Cancelled jobs appear here and can be retried.</EmptyState>;
  }
}
