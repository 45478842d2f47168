/** Writes progress into what the cache holds; whatever it does not concern stays the same object. */
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import type {
  Job,
  JobDetail,
  Overview,
  Page,
  Progress,
  Quality,
  Video,
  VideoDetail,
  Work,
  Worker,
  WorkerSign,
  WorkQuality,
} from "@/api/types";
import { workerWithSign } from "./gpus";

type Pages<T> = InfiniteData<Page<T>>;
type Change<T> = (item: T) => T;

export function applyProgress(client: QueryClient, progress: Progress): void {
  const job = (item: Job) => jobWith(item, progress);
  if (progress.log) client.setQueryData(keys.log(progress.job_id), progress.log);
  write<Pages<Video>>(client, keys.videos.lists, (pages) => inPages(pages, (video) => videoWith(video, progress)));
  write<VideoDetail>(client, keys.videos.detail(progress.video_id), (detail) => detailWith(detail, progress));
  write<Pages<Job>>(client, keys.jobs.lists, (pages) => inPages(pages, job));
  write<JobDetail>(client, keys.jobs.detail(progress.job_id), (detail) => withPart(detail, "job", job(detail.job)));
  write<Overview>(client, keys.overview, (overview) => withPart(overview, "running", inList(overview.running, job)));
  write<Page<Worker>>(client, keys.workers, (page) =>
    withPart(
      page,
      "items",
      inList(page.items, (worker) => workerWith(worker, progress)),
    ),
  );
}

export function applyWorker(client: QueryClient, seen: WorkerSign): void {
  write<Page<Worker>>(client, keys.workers, (page) =>
    withPart(
      page,
      "items",
      inList(page.items, (worker) => (worker.id === seen.id ? workerWithSign(worker, seen) : worker)),
    ),
  );
}

/** Those in the list; undefined if nobody asked for it. */
export function knownWorkers(client: QueryClient): Worker[] | undefined {
  return client.getQueryData<Page<Worker>>(keys.workers)?.items;
}

/**
 * Writes into every cached answer below a key. Invalidated ones are left alone: writing would mark them as fresh, and
 * they are asked for again anyway. The time of the answer stays that of the answer.
 */
function write<T>(client: QueryClient, queryKey: QueryKey, change: Change<T>): void {
  for (const query of client.getQueryCache().findAll({ queryKey })) {
    const old = query.state.data as T | undefined;
    if (old === undefined || query.state.isInvalidated) continue;
    const changed = change(old);
    if (changed === old) continue;
    client.setQueryData(query.queryKey, changed, { updatedAt: query.state.dataUpdatedAt });
  }
}

function videoWith(video: Video, progress: Progress): Video {
  if (video.work?.job_id !== progress.job_id) return video;
  return { ...video, work: workWith(video.work, progress) };
}

function workWith(work: Work, progress: Progress): Work {
  return {
    ...work,
    percent: progress.percent,
    step: progress.step,
    eta: progress.eta,
    qualities: inList(work.qualities, (quality) => workQualityWith(quality, progress)),
  };
}

function workQualityWith(quality: WorkQuality, progress: Progress): WorkQuality {
  const told = progress.qualities.find(({ name }) => name === quality.name);
  if (!told || isOver(quality.status)) return quality;
  return { ...quality, percent: told.percent, status: told.percent > 0 ? "in_progress" : quality.status };
}

function detailWith(detail: VideoDetail, progress: Progress): VideoDetail {
  if (!detail.jobs.some(({ id }) => id === progress.job_id)) return detail;
  return {
    ...detail,
    video: videoWith(detail.video, progress),
    jobs: inList(detail.jobs, (job) => jobWith(job, progress)),
    qualities: inList(detail.qualities, (quality) => qualityWith(quality, progress)),
  };
}

function qualityWith(quality: Quality, progress: Progress): Quality {
  const told = progress.qualities.find(({ name }) => name === quality.name);
  if (!told || isOver(quality.status)) return quality;
  return {
    ...quality,
    progress_percent: told.percent,
    fps: told.fps,
    speed: told.speed,
    status: told.percent > 0 ? "in_progress" : quality.status,
  };
}

function jobWith(job: Job, progress: Progress): Job {
  if (job.id !== progress.job_id || job.status !== "running") return job;
  return {
    ...job,
    progress_percent: progress.percent,
    current_step: progress.step,
    eta: progress.eta,
    eta_seconds: progress.eta?.seconds ?? null,
  };
}

function workerWith(worker: Worker, { job_id, percent, eta }: Progress): Worker {
  return withPart(
    worker,
    "jobs",
    inList(worker.jobs, (job) => (job.id === job_id ? { ...job, percent, eta } : job)),
  );
}

/** A finished quality stays finished, whatever a late report says. */
function isOver(status: Quality["status"]): boolean {
  return status === "completed" || status === "failed" || status === "skipped";
}

function inPages<T>(data: Pages<T>, change: Change<T>): Pages<T> {
  return withPart(
    data,
    "pages",
    inList(data.pages, (page) => withPart(page, "items", inList(page.items, change))),
  );
}

function inList<T>(items: T[], change: Change<T>): T[] {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

function withPart<T, K extends keyof T>(whole: T, key: K, value: T[K]): T {
  return whole[key] === value ? whole : { ...whole, [key]: value };
}
