/** What can be asked, one function for each question. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { type AuditFilter, type DeliveriesFilter, type JobsFilter, keys, type VideosFilter } from "./keys";

const PAGE_SIZE = 50;
/** A long history is asked for again whenever a job ends: few large pages cost less than many small ones. */
const JOBS_PAGE_SIZE = 100;
const AUDIT_PAGE_SIZE = 100;
const NEXT_JOBS = 200;
const STUCK_EVERY_MS = 30_000;
const ON_ITS_WAY_EVERY_MS = 3_000;
const DELIVERIES_EVERY_MS = 20_000;
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

/** A job runs for long when time passes, and nothing tells of that: it is asked for again now and then. */
export const stuckQuery = (older_seconds: number) =>
  queryOptions({
    queryKey: [...keys.jobs.stuck, older_seconds],
    queryFn: ({ signal }) => body(api.GET("/api/queue/stuck", { signal, params: { query: { older_seconds } } })),
    refetchInterval: STUCK_EVERY_MS,
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

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: keys.audit(filter),
    queryFn: ({ signal, pageParam }) =>
      body(
        api.GET("/api/audit", {
          signal,
          params: { query: { ...filter, cursor: pageParam, limit: AUDIT_PAGE_SIZE } },
        }),
      ),
    initialPageParam: noCursor,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const alertsQuery = () =>
  queryOptions({ queryKey: keys.alerts.states, queryFn: ({ signal }) => body(api.GET("/api/alerts", { signal })) });

export const endpointsQuery = () =>
  queryOptions({
    queryKey: keys.alerts.endpoints,
    queryFn: ({ signal }) => body(api.GET("/api/alerts/endpoints", { signal })),
  });

/** No event tells how a message was taken: it is asked for again, often while one is on its way. */
export const deliveriesQuery = (filter: DeliveriesFilter) =>
  infiniteQueryOptions({
    queryKey: keys.alerts.deliveryList(filter),
    queryFn: ({ signal, pageParam }) =>
      body(
        api.GET("/api/alerts/deliveries", {
          signal,
          params: { query: { ...filter, cursor: pageParam, limit: PAGE_SIZE } },
        }),
      ),
    initialPageParam: noCursor,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ status }) => status === "pending"))
        ? ON_ITS_WAY_EVERY_MS
        : DELIVERIES_EVERY_MS,
  });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: keys.alerts.delivery(id),
    queryFn: ({ signal }) => body(api.GET("/api/alerts/deliveries/{id}", { signal, params: { path: { id } } })),
  });

export const collectionsQuery = () =>
  queryOptions({
    queryKey: keys.collections,
    queryFn: ({ signal }) => body(api.GET("/api/collections", { signal })),
  });

/** Events tell when a file is here or failed; how far it has come is asked for while one is on its way. */
export const intakeQuery = () =>
  infiniteQueryOptions({
    queryKey: keys.intake,
    queryFn: ({ signal, pageParam }) =>
      body(api.GET("/api/intake", { signal, params: { query: { cursor: pageParam, limit: PAGE_SIZE } } })),
    initialPageParam: noCursor,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === "fetching")) ? ON_ITS_WAY_EVERY_MS : false,
  });
