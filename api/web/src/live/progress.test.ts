import { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, it } from "vitest";
import { keys } from "@/api/keys";
import type { Job, JobDetail, Overview, Page, Video, VideoDetail, Worker } from "@/api/types";
import { AT, exampleDetail, exampleJob, exampleProgress, exampleVideo, exampleWorker } from "@/testing/examples";
import { applyProgress, applyWorker } from "./progress";

let client: QueryClient;
beforeEach(() => {
  client = new QueryClient();
});

function pagesOf<T>(...items: T[]) {
  return { pages: [{ items, next_cursor: null }], pageParams: [undefined] };
}

describe("progress", () => {
  it("moves the video in every list, and nothing else", () => {
    const other = exampleVideo({ id: "video-2", work: null });
    for (const filter of [{}, { search: "har" }])
      client.setQueryData(keys.videos.list(filter), pagesOf(exampleVideo(), other));
    applyProgress(client, exampleProgress());
    for (const filter of [{}, { search: "har" }]) {
      const data = client.getQueryData<ReturnType<typeof pagesOf<Video>>>(keys.videos.list(filter));
      const [video, same] = data?.pages[0]?.items ?? [];
      expect(video?.work).toMatchObject({ percent: 40, step: "transcode", eta: { seconds: 60 } });
      expect(same).toBe(other);
    }
  });

  it("starts a waiting quality and never reopens a finished one", () => {
    client.setQueryData(keys.videos.list({}), pagesOf(exampleVideo()));
    applyProgress(client, exampleProgress());
    const data = client.getQueryData<ReturnType<typeof pagesOf<Video>>>(keys.videos.list({}));
    expect(data?.pages[0]?.items[0]?.work?.qualities).toEqual([
      { name: "720p", kind: "video", status: "in_progress", percent: 30 },
      { name: "360p", kind: "video", status: "completed", percent: 100 },
    ]);
  });

  it("reaches the page of the video", () => {
    client.setQueryData(keys.videos.detail("video-1"), exampleDetail());
    applyProgress(client, exampleProgress());
    const detail = client.getQueryData<VideoDetail>(keys.videos.detail("video-1"));
    expect(detail?.qualities[0]).toMatchObject({ progress_percent: 30, fps: 24, speed: 1.5, status: "in_progress" });
    expect(detail?.jobs.map((job) => job.progress_percent)).toEqual([40, 0]);
    expect(detail?.video.work?.percent).toBe(40);
  });

  it("reaches jobs, the overview and the worker", () => {
    client.setQueryData(keys.jobs.list({ active: true }), pagesOf(exampleJob()));
    client.setQueryData(keys.jobs.detail("job-1"), { job: exampleJob(), attempts: [], timeline: [] });
    client.setQueryData(keys.overview, { running: [exampleJob()], recent_failures: [] });
    client.setQueryData(keys.workers, { items: [exampleWorker()], next_cursor: null });
    applyProgress(client, exampleProgress());
    const jobs = client.getQueryData<ReturnType<typeof pagesOf<Job>>>(keys.jobs.list({ active: true }));
    expect(jobs?.pages[0]?.items[0]).toMatchObject({
      progress_percent: 40,
      current_step: "transcode",
      eta_seconds: 60,
    });
    expect(client.getQueryData<JobDetail>(keys.jobs.detail("job-1"))?.job.progress_percent).toBe(40);
    expect(client.getQueryData<Overview>(keys.overview)?.running[0]?.progress_percent).toBe(40);
    expect(client.getQueryData<Page<Worker>>(keys.workers)?.items[0]?.jobs[0]?.percent).toBe(40);
  });

  it("brings the last lines of the encoder, and keeps them while there are no newer ones", () => {
    applyProgress(client, exampleProgress({ log: "a damaged frame" }));
    applyProgress(client, exampleProgress({ log: null }));
    expect(client.getQueryData(keys.log("job-1"))).toBe("a damaged frame");
  });

  it("of a job that is over is not shown", () => {
    client.setQueryData(keys.jobs.detail("job-1"), { job: exampleJob({ status: "completed", progress_percent: 100 }) });
    applyProgress(client, exampleProgress());
    expect(client.getQueryData<JobDetail>(keys.jobs.detail("job-1"))?.job.progress_percent).toBe(100);
  });

  it("does not make an old answer look fresh", async () => {
    client.setQueryData(keys.videos.detail("video-1"), exampleDetail(), { updatedAt: 5 });
    applyProgress(client, exampleProgress());
    expect(client.getQueryState(keys.videos.detail("video-1"))?.dataUpdatedAt).toBe(5);
    await client.invalidateQueries({ queryKey: keys.videos.detail("video-1") });
    applyProgress(client, exampleProgress({ percent: 90 }));
    expect(client.getQueryState(keys.videos.detail("video-1"))?.isInvalidated).toBe(true);
  });

  it("that concerns nothing changes nothing", () => {
    const before = client.setQueryData(keys.videos.list({}), pagesOf(exampleVideo()));
    applyProgress(client, exampleProgress({ job_id: "job-9", video_id: "video-9" }));
    expect(client.getQueryData(keys.videos.list({}))).toBe(before);
  });
});

describe("a worker that was heard", () => {
  const seen = { id: "worker-1", status: "busy", draining: false, last_heartbeat: AT } as const;

  it("is written into the list, and whatever else is known of it stays", () => {
    client.setQueryData(keys.workers, { items: [exampleWorker()], next_cursor: null });
    applyWorker(client, { ...seen, status: "offline", last_heartbeat: "2030-01-01T12:00:30Z" });
    applyWorker(client, { ...seen, id: "worker-2" });
    expect(client.getQueryData<Page<Worker>>(keys.workers)?.items).toEqual([
      exampleWorker({ status: "offline", last_heartbeat: "2030-01-01T12:00:30Z" }),
    ]);
  });
});
