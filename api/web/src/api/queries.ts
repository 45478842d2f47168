/** What can be asked, one function for each question. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { type JobsFilter, keys, type VideosFilter } from "./keys";

const PAGE_SIZE = 50;
/** A long history is asked for again whenever a job ends: few large pages cost less than many small ones. */
const JOBS_PAGE_SIZE = 100;
const AUDIT_PAGE_SIZE = 100;
const NEXT_JOBS = 200;
const noCursor = undefined as string | undefined;

export const meQuery = () =>
  queryOptions({
    queryKey: keys.me,
    queryFn: ({ signal }) => body(api.GET("/api/me", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const versionQuery = () =>
  queryOptions({
    queryKey: keys.version,
    queryFn: ({ signal }) => body(api.GET("/version", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const healthQuery = () =>
  queryOptions({ queryKey: keys.health, queryFn: ({ signal }) => body(api.GET("/api/health", { signal })) });

export const overviewQuery = () =>
  queryOptions({ queryKey: keys.overview, queryFn: ({ signal }) => body(api.GET("/api/overview", { signal })) });

export const throughputQuery = (hours: number) =>
  queryOptions({
    queryKey: keys.throughput(hours),
    queryFn: ({ signal }) => body(api.GET("/api/throughput", { signal, params: { query: { hours } } })),
  });

export const videosQuery = (filter: VideosFilter) =>
  infiniteQueryOptions({
    queryKey: keys.videos.list(filter),
    queryFn: ({ signal, pageParam }) =>
      body(api.GET("/api/videos", { signal, params: { query: { ...filter, cursor: pageParam, limit: PAGE_SIZE } } })),
    initialPageParam: noCursor,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const videoQuery = (id: string) =>
  queryOptions({
    queryKey: keys.videos.detail(id),
    queryFn: ({ signal }) => body(api.GET("/api/videos/{id}", { signal, params: { path: { id } } })),
  });

/** For the palette: a few titles, not kept up to date. */
export const videoSearchQuery = (search: string) =>
  queryOptions({
    queryKey: ["video-search", search],
    queryFn: ({ signal }) => body(api.GET("/api/videos", { signal, params: { query: { search, limit: 8 } } })),
    enabled: search !== "",
    staleTime: 10_000,
  });

export const jobsQuery = (filter: JobsFilter) =>
  infiniteQueryOptions({
    queryKey: keys.jobs.list(filter),
    queryFn: ({ signal, pageParam }) =>
      body(
        api.GET("/api/queue/jobs", {
          signal,
          params: { query: { ...filter, cursor: pageParam, limit: JOBS_PAGE_SIZE } },
        }),
      ),
    initialPageParam: noCursor,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const nextJobsQuery = (limit = NEXT_JOBS) =>
  queryOptions({
    queryKey: [...keys.jobs.next, limit],
    queryFn: ({ signal }) => body(api.GET("/api/queue/next", { signal, params: { query: { limit } } })),
  });

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: keys.jobs.detail(id),
    queryFn: ({ signal }) => body(api.GET("/api/queue/jobs/{id}", { signal, params: { path: { id } } })),
  });

export const queuesQuery = () =>
  queryOptions({ queryKey: keys.queues, queryFn: ({ signal }) => body(api.GET("/api/queue", { signal })) });

export const workersQuery = () =>
  queryOptions({
    queryKey: keys.workers,
    queryFn: ({ signal }) => body(api.GET("/api/workers", { signal })),
  });

export const tokensQuery = () =>
  queryOptions({ queryKey: keys.tokens, queryFn: ({ signal }) => body(api.GET("/api/tokens", { signal })) });

export const auditQuery = () =>
  infiniteQueryOptions({
    queryKey: keys.audit,
    queryFn: ({ signal, pageParam }) =>
      body(api.GET("/api/audit", { signal, params: { query: { cursor: pageParam, limit: AUDIT_PAGE_SIZE } } })),
    initialPageParam: noCursor,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
