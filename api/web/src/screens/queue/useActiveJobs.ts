import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { jobsQuery, nextJobsQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import type { JobFilter } from "./jobFilter";

/** The most that the server tells in the order of the queue. */
const MOST_NEXT = 500;
const SOME_NEXT = 200;

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
 * What runs and what waits. Those that are due are asked for in the order of the queue. Those that wait for their own
 * time are not among them and come from the list of jobs, as everything does when there is a filter.
 */
export function useActiveJobs({ search, worker }: JobFilter, withRunning: boolean): ActiveJobsState {
  const filtered = search !== undefined || worker !== undefined;
  const [limit, setLimit] = useState(SOME_NEXT);
  const running = useInfiniteQuery({
    ...jobsQuery({ status: "running", search, worker }),
    placeholderData: keepPreviousData,
    enabled: withRunning,
  });
  const listed = useInfiniteQuery({
    ...jobsQuery({ status: "pending", search, worker }),
    placeholderData: keepPreviousData,
  });
  const next = useQuery({ ...nextJobsQuery(limit), placeholderData: keepPreviousData, enabled: !filtered });

  const jobs = useMemo(() => {
    const runs = withRunning ? itemsOf(running.data).toReversed() : [];
    const due = filtered ? [] : (next.data?.items ?? []);
    return { running: runs, waiting: waitingOf(due, itemsOf(listed.data), runs) };
  }, [withRunning, filtered, running.data, next.data, listed.data]);
  const all = useMemo(() => [...jobs.running, ...jobs.waiting], [jobs]);

  const dueLeft = !filtered && limit < MOST_NEXT && (next.data?.items.length ?? 0) >= limit;
  const more = dueLeft ? () => setLimit(MOST_NEXT) : listed.hasNextPage ? () => void listed.fetchNextPage() : undefined;
  return {
    ...jobs,
    all,
    total: filtered ? jobs.waiting.length : (next.data?.total ?? 0),
    isPending: listed.isPending || (!filtered && next.isPending) || (withRunning && running.isPending),
    isLoadingMore: running.isFetchingNextPage || listed.isFetchingNextPage || next.isPlaceholderData,
    error: missing(listed) ?? (filtered ? null : missing(next)) ?? (withRunning ? missing(running) : null),
    retry: () => {
      void listed.refetch();
      if (!filtered) void next.refetch();
      if (withRunning) void running.refetch();
    },
    moreRunning: running.hasNextPage ? () => void running.fetchNextPage() : undefined,
    moreWaiting: more,
  };
}

/** Why there is nothing to show. What is shown stays while the server is away; the page says so elsewhere. */
function missing({ data, error }: { data: unknown; error: Error | null }): Error | null {
  return data === undefined ? error : null;
}

function itemsOf(data: { pages: { items: Job[] }[] } | undefined): Job[] {
  return data?.pages.flatMap(({ items }) => items) ?? [];
}

/** By place; those without one wait for their own time and come last, the soonest first. */
export function inQueueOrder(jobs: readonly Job[]): Job[] {
  return jobs.toSorted((a, b) => place(a) - place(b) || due(a) - due(b) || a.number - b.number);
}

/**
 * The waiting jobs from two answers that were given a moment apart: those that are due, in their order, and others.
 * One that runs by now is left out.
 */
export function waitingOf(inOrder: readonly Job[], listed: readonly Job[], running: readonly Job[]): Job[] {
  const known = new Set([...inOrder, ...running].map(({ id }) => id));
  const runs = new Set(running.map(({ id }) => id));
  const others = listed.filter(({ id }) => !known.has(id));
  return [...inOrder.filter(({ id }) => !runs.has(id)), ...inQueueOrder(others)];
}

function place({ position }: Job): number {
  return position ?? Number.MAX_SAFE_INTEGER;
}

function due({ retry_after }: Job): number {
  return retry_after ? Date.parse(retry_after) : 0;
}
