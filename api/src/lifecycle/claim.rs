//! A worker takes a job: one transaction over job, video, worker and timeline.

use std::time::Duration as StdDuration;

use chrono::{DateTime, Utc};
use framefarm_shared::id::WorkerId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{VideoStatus, WorkerStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{
    ClaimReply, ClaimRequest, ClaimedJob, ClaimedSource, MAX_CLAIM_WAIT_SECONDS, NoJobReason,
};
use tokio::time::Instant;

use super::{report, workers};
use crate::app::App;
use crate::db::events::Event;
use crate::db::job_claim::{self, Claimer};
use crate::db::jobs::JobRow;
use crate::db::qualities::GenerationKey;
use crate::db::videos::VideoRow;
use crate::db::workers::WorkerRow;
use crate::db::{Tx, attempts, events, garbage, generations, qualities, queues, videos};
use crate::error::{ApiError, Result};

/// Claims the best job, waiting for one as long as the worker asked for.
pub async fn claim(app: &App, worker: WorkerId, request: &ClaimRequest) -> Result<ClaimReply> {
    let wait = request.wait_seconds.unwrap_or(0);
    if wait > MAX_CLAIM_WAIT_SECONDS {
        let detail = format!("`wait_seconds` is {wait}; a claim waits at most {MAX_CLAIM_WAIT_SECONDS}.");
        return Err(ApiError::bad_request("bad_wait", detail));
    }
    let deadline = Instant::now() + StdDuration::from_secs(wait.into());
    let poll = StdDuration::from_secs_f64(app.settings.claim_poll_interval);
    loop {
        let wakeup = app.wakeups.listen();
        let reply = claim_now(app, worker, request).await?;
        let now = Instant::now();
        if reply.job.is_some() || now >= deadline || app.shutdown.is_cancelled() {
            return Ok(reply);
        }
        let _waiting = app.wakeups.wait();
        tokio::select! {
            () = wakeup => {}
            () = tokio::time::sleep_until(deadline.min(now + poll)) => {}
            () = app.shutdown.cancelled() => {}
        }
    }
}

/// One look at the queue.
pub async fn claim_now(app: &App, worker: WorkerId, request: &ClaimRequest) -> Result<ClaimReply> {
    if app.settings.stale_job_check_interval == 0 {
        // Nobody looks for lost jobs regularly: whoever wants work does.
        super::reclaim::sweep(app).await?;
    }
    let mut tx = app.db.begin().await?;
    let row = workers::known_boot(app, &mut tx, worker, request.boot_id).await?;
    if row.status == WorkerStatus::Disabled {
        return Err(ApiError::unauthorized("This worker is disabled."));
    }
    let now = app.clock.now();
    let by = Claimer { worker, worker_name: &row.name, now, expires: now + app.settings.lease() };
    job_claim::promote_due(&mut tx, now).await?;
    let found = if row.draining {
        Err(NoJob::because(NoJobReason::Draining, "this worker is draining"))
    } else if let Some(id) = request.job_id {
        this_job(app, &mut tx, by, &row, id).await?
    } else {
        best_job(app, &mut tx, by, &row, request.queue_types.as_deref()).await?
    };
    let reply = match found {
        Ok(job) => {
            let Some(video) = begin_video(app, &mut tx, &job).await? else {
                // The video was deleted while we claimed: leave everything as it was.
                tx.rollback().await?;
                return Ok(NoJob::because(NoJobReason::Empty, "the job's video was deleted").into_reply());
            };
            granted(app, &mut tx, job, video, &row, request).await?
        }
        Err(no_job) => no_job.into_reply(),
    };
    tx.commit().await?;
    Ok(reply)
}

struct NoJob {
    reason: NoJobReason,
    detail: String,
}

impl NoJob {
    fn because(reason: NoJobReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }

    fn into_reply(self) -> ClaimReply {
        ClaimReply { job: None, reason: Some(self.reason), detail: Some(self.detail) }
    }
}

async fn this_job(
    app: &App,
    tx: &mut Tx,
    by: Claimer<'_>,
    worker: &WorkerRow,
    id: framefarm_shared::id::JobId,
) -> Result<std::result::Result<JobRow, NoJob>> {
    if let Some(job) = job_claim::reclaim_own_expired(tx, by, id).await? {
        return Ok(Ok(job));
    }
    let Some(job) = crate::db::jobs::get_in(tx, id).await? else {
        return Ok(Err(NoJob::because(NoJobReason::Empty, "there is no such job")));
    };
    let cutoff = match gate(app, tx, worker, job.queue_type).await? {
        Ok(gate) => gate,
        Err(no_job) => return Ok(Err(no_job)),
    };
    match job_claim::claim_this(tx, by, id, cutoff.claimable_by).await? {
        Some(job) => Ok(Ok(job)),
        None => Ok(Err(NoJob::because(NoJobReason::Empty, "that job is not to be had"))),
    }
}

async fn best_job(
    app: &App,
    tx: &mut Tx,
    by: Claimer<'_>,
    worker: &WorkerRow,
    kinds: Option<&[QueueType]>,
) -> Result<std::result::Result<JobRow, NoJob>> {
    let mut why = NoJob::because(NoJobReason::Empty, "nothing is due");
    for kind in kinds.unwrap_or(&[QueueType::Transcode]) {
        let gate = match gate(app, tx, worker, *kind).await? {
            Ok(gate) => gate,
            Err(no_job) => {
                why = no_job;
                continue;
            }
        };
        if let Some(job) = job_claim::claim_next(tx, by, *kind, gate.claimable_by).await? {
            return Ok(Ok(job));
        }
        if let Some(gpu) = gate.deferred_to
            && job_claim::any_claimable(tx, *kind).await?
        {
            let most = app.settings.gpu_deferral().num_seconds();
            let detail = format!("waiting for {gpu}, at most {most} s");
            why = NoJob::because(NoJobReason::WaitingForGpu, detail);
        }
    }
    Ok(Err(why))
}

/// What a worker may take of a queue.
struct Gate {
    /// Jobs claimable since later than this are left to a GPU worker.
    claimable_by: DateTime<Utc>,
    deferred_to: Option<String>,
}

async fn gate(
    app: &App,
    tx: &mut Tx,
    worker: &WorkerRow,
    kind: QueueType,
) -> Result<std::result::Result<Gate, NoJob>> {
    // A limit is counted under a lock of its own; taking the weaker one first could deadlock two claims.
    let limited = queues::get(tx, kind).await?.max_running.is_some();
    if limited {
        queues::lock(tx, kind).await?;
    }
    let queue = if limited { queues::get(tx, kind).await? } else { queues::get_held(tx, kind).await? };
    if queue.paused {
        return Ok(Err(NoJob::because(NoJobReason::Paused, format!("the {kind} queue is paused"))));
    }
    if let Some(most) = queue.max_running {
        if !limited {
            return Ok(Err(NoJob::because(
                NoJobReason::AtCapacity,
                "the queue was changed just now; ask again",
            )));
        }
        if job_claim::count_running(tx, kind).await? >= i64::from(most) {
            let detail = format!("{most} {kind} jobs run already, the most allowed at once");
            return Ok(Err(NoJob::because(NoJobReason::AtCapacity, detail)));
        }
    }
    let now = app.clock.now();
    let deferral = app.settings.gpu_deferral();
    if !worker.has_gpu
        && kind == QueueType::Transcode
        && let Some(gpu) = crate::db::workers::idle_gpu(tx, now - deferral).await?
    {
        return Ok(Ok(Gate { claimable_by: now - deferral, deferred_to: Some(gpu) }));
    }
    Ok(Ok(Gate { claimable_by: now, deferred_to: None }))
}

/// Moves the video with its job; `None` if it is gone.
async fn begin_video(app: &App, tx: &mut Tx, job: &JobRow) -> Result<Option<VideoRow>> {
    let Some(video) = videos::get_in(tx, job.video_id).await? else { return Ok(None) };
    let moved = match video.status {
        VideoStatus::Pending if job.queue_type.makes_generation() => {
            videos::begin_if_pending(tx, video.id).await?
        }
        VideoStatus::Ready if cleans_up_first(job) => {
            let now = app.clock.now();
            let prefix = ObjectKey::generation_prefix(video.id, video.generation);
            garbage::add(tx, &prefix, "replaced by a re-transcode", now).await?;
            videos::unpublish_if_ready(tx, video.id).await?
                && generations::delete_unless_published(tx, video.id, video.generation).await?
        }
        // A video that goes on playing, or one that a re-transcode is at work on already.
        _ => videos::is_not_deleted(tx, video.id).await?,
    };
    Ok(moved.then_some(video))
}

fn cleans_up_first(job: &JobRow) -> bool {
    job.retranscode.as_ref().is_some_and(|request| request.cleanup_on_claim)
}

async fn granted(
    app: &App,
    tx: &mut Tx,
    job: JobRow,
    video: VideoRow,
    worker: &WorkerRow,
    request: &ClaimRequest,
) -> Result<ClaimReply> {
    let now = app.clock.now();
    let key = GenerationKey { video: video.id, number: job.generation };
    qualities::reopen(tx, key).await?;
    attempts::begin(tx, &job, worker.id, &worker.name, now).await?;
    if !crate::db::workers::hold(tx, worker.id, job.id, request.boot_id).await? {
        return Err(ApiError::unauthorized("This worker is disabled."));
    }
    let reason = format!("attempt {} by {}", job.attempt_number, worker.name);
    events::append(tx, Event::of_job(EventKind::JobClaimed, &worker.name, &job).because(reason), now).await?;
    let claimed = ClaimedJob {
        job_id: job.id,
        number: job.number,
        fence: job.fence,
        queue_type: job.queue_type,
        video_id: video.id,
        generation: job.generation,
        attempt_number: job.attempt_number,
        lease_seconds: app.settings.lease_seconds(),
        heartbeat_seconds: app.settings.heartbeat_seconds(),
        source: ClaimedSource {
            name: video.source_name,
            size: video.source_size,
            sha256: video.source_sha256,
        },
        plan: generations::plan_in(tx, video.id, job.generation).await?,
        qualities: report::qualities_of(tx, key).await?,
        cpu_only: job.encoder_failures >= 2,
    };
    Ok(ClaimReply { job: Some(claimed), reason: None, detail: None })
}
