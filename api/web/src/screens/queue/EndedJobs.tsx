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
import { queueTexts as texts } from "@/texts/queue";
import { HistoryActions } from "./HistoryActions";
import { JobList, NothingFound } from "./JobList";
import { isFiltered, type JobFilter } from "./jobFilter";
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
    return <ErrorState error={list.error} title={texts.lists.loadError} retry={() => list.refetch()} />;
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
      {list.isFetchNextPageError && <ErrorState error={list.error} title={texts.lists.loadMoreError} />}
      {list.hasNextPage && (
        <Group justify="center" py="md">
          <BusyButton variant="default" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {texts.lists.showMore}
          </BusyButton>
        </Group>
      )}
    </div>
  );
}

const labels: Record<EndedKind, string> = {
  failed: texts.lists.failedLabel,
  done: texts.lists.doneLabel,
  cancelled: texts.lists.cancelledLabel,
};

function Nothing({ kind }: { kind: EndedKind }) {
  switch (kind) {
    case "failed":
      return (
        <EmptyState icon={CircleCheck} title={texts.empty.failed}>
          {texts.empty.failedText}
        </EmptyState>
      );
    case "done":
      return <EmptyState title={texts.empty.done}>{texts.empty.doneText}</EmptyState>;
    case "cancelled":
      return <EmptyState title={texts.empty.cancelled}>{texts.empty.cancelledText}</EmptyState>;
  }
}
