import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { jobsQuery, nextJobsQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { inQueueOrder } from "./times";

/** The most that the server tells in the order of the queue. */
const MOST_NEXT = 500;
const SOME_NEXT = 200;

export interface ActiveFilter {
  search?: string;
  worker?: string;
}

export interface ActiveJobsState {
  running: Job[];
  waiting: Job[];
  /** Both, in the order of the page. */
  all: Job[];
  /** How many wait in all, as far as the filter goes. */
  total: number;
  isPending: boolean;
  isLoadingMore: boolean;
  error: unknown;
  retry: () => void;
  moreRunning?: () => void;
  moreWaiting?: () => void;
}

/**
 * What runs and what waits. The order of the queue is asked for as such; with a filter the list of jobs is asked
 * instead, and each job says its own place.
 */
export function useActiveJobs({ search, worker }: ActiveFilter, withRunning: boolean): ActiveJobsState {
  const filtered = search !== undefined || worker !== undefined;
  const [limit, setLimit] = useState(SOME_NEXT);
  const running = useInfiniteQuery({
    ...jobsQuery({ status: "running", search, worker }),
    placeholderData: keepPreviousData,
    enabled: withRunning,
  });
  const found = useInfiniteQuery({
    ...jobsQuery({ status: "pending", search, worker }),
    placeholderData: keepPreviousData,
    enabled: filtered,
  });
  const next = useQuery({ ...nextJobsQuery(limit), placeholderData: keepPreviousData, enabled: !filtered });

  const runningJobs = useMemo(
    () => (withRunning ? inQueueOrder(itemsOf(running.data)) : []),
    [withRunning, running.data],
  );
  const waitingJobs = useMemo(() => {
    if (filtered) return inQueueOrder(itemsOf(found.data));
    return next.data?.items ?? [];
  }, [filtered, found.data, next.data]);
  const all = useMemo(() => [...runningJobs, ...waitingJobs], [runningJobs, waitingJobs]);
  const waiting = filtered ? found : next;

  const more = filtered
    ? found.hasNextPage && (() => void found.fetchNextPage())
    : (next.data?.total ?? 0) > limit && limit < MOST_NEXT && (() => setLimit(MOST_NEXT));
  return {
    running: runningJobs,
    waiting: waitingJobs,
    all,
    total: filtered ? waitingJobs.length : (next.data?.total ?? 0),
    isPending: waiting.isPending || (withRunning && running.isPending),
    isLoadingMore: running.isFetchingNextPage || found.isFetchingNextPage || next.isPlaceholderData,
    error: waiting.error ?? (withRunning ? running.error : null),
    retry: () => {
      void waiting.refetch();
      if (withRunning) void running.refetch();
    },
    moreRunning: running.hasNextPage ? () => void running.fetchNextPage() : undefined,
    moreWaiting: more || undefined,
  };
}

function itemsOf(data: { pages: { items: Job[] }[] } | undefined): Job[] {
  return data?.pages.flatMap(({ items }) => items) ?? [];
}
