//! A worker takes a job: one transaction over job, video, worker and timeline.

mod no_job;

use std::time::Duration as StdDuration;

use chrono::Duration;
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::plan::Plan;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{AttemptOutcome, VideoStatus, WorkerStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{
    ClaimReply, ClaimRequest, ClaimedJob, ClaimedSource, MAX_CLAIM_WAIT_SECONDS, NoJobReason, QualityReport,
};
use tokio::time::Instant;

use self::no_job::{Ended, NoJob};
use super::{report, trace, workers};
use crate::app::App;
use crate::db::events::{Event, worker_actor};
use crate::db::job::JobRow;
use crate::db::job::claim::{CPU_AFTER, Claimer, Deferral};
use crate::db::job::claim_at_once::Asker;
use crate::db::job::claim_context::ClaimContext;
use crate::db::qualities::GenerationKey;
use crate::db::videos::VideoRow;
use crate::db::workers::WorkerRow;
use crate::db::{Tx, garbage, generations, job, qualities, queues, videos};
use crate::dispatch::{Outcome, Wakeup};
use crate::error::{ApiError, Result};
use crate::traces;

/// How long a worker with a GPU leaves a fresh job to one with a faster GPU.
const GPU_FOR_GPU: Duration = Duration::seconds(5);

/// Claims the best job, waiting for one as long as the worker asked for.
pub async fn claim(app: &App, worker: WorkerId, request: &ClaimRequest) -> Result<ClaimReply> {
    let wait = request.wait_seconds.unwrap_or(0);
    if wait > MAX_CLAIM_WAIT_SECONDS {
        let detail = format!("`wait_seconds` is {wait}; the maximum is {MAX_CLAIM_WAIT_SECONDS}.");
        return Err(ApiError::bad_request("bad_wait", detail));
    }
    let deadline = Instant::now() + StdDuration::from_secs(wait.into());
    let poll = StdDuration::from_secs_f64(app.settings.claim_poll_interval);
    let listening = app.waiters.listen(kinds(request));
    let mut reply = look(app, worker, request, listening.look()).await?;
    loop {
        let now = Instant::now();
        if reply.job.is_some() || now >= deadline || app.shutdown.is_cancelled() {
            return Ok(reply);
        }
        tokio::select! {
            () = listening.woken() => {}
            () = tokio::time::sleep_until(deadline.min(now + poll)) => {}
            () = app.shutdown.cancelled() => {}
        }
        let wakeup = listening.look();
        if wakeup.is_some() || is_worth_a_look(app, request).await? {
            reply = look(app, worker, request, wakeup).await?;
        }
    }
}

fn kinds(request: &ClaimRequest) -> &[QueueType] {
    request.queue_types.as_deref().unwrap_or(&[QueueType::Transcode])
}

/// Looks at the queue and answers for the hint that made it look.
async fn look(
    app: &App,
    worker: WorkerId,
    request: &ClaimRequest,
    wakeup: Option<Wakeup>,
) -> Result<ClaimReply> {
    let reply = claim_now(app, worker, request).await?;
    if let Some(wakeup) = wakeup {
        wakeup.answer(match reply.reason {
            None => Outcome::Taken,
            Some(NoJobReason::Draining | NoJobReason::WaitingForGpu) => Outcome::NotHere,
            Some(_) => Outcome::Nothing,
        });
    }
    Ok(reply)
}

/// Nobody said that there is a job: a cheap question before a transaction.
async fn is_worth_a_look(app: &App, request: &ClaimRequest) -> Result<bool> {
    let lost_jobs_are_ours_to_find = app.settings.stale_job_check_interval == 0;
    Ok(lost_jobs_are_ours_to_find
        || request.job_id.is_some()
        || job::claim::anything_due(&app.db, kinds(request), app.clock.now()).await?)
}

/// One look at the queue.
pub async fn claim_now(app: &App, worker: WorkerId, request: &ClaimRequest) -> Result<ClaimReply> {
    if app.settings.stale_job_check_interval == 0 {
        // Nobody looks for lost jobs regularly: whoever wants work does.
        super::reclaim::sweep(app).await?;
    }
    if let Some(reply) = at_once(app, worker, request).await? {
        return Ok(reply);
    }
    let mut why = NoJob::Empty;
    for kind in kinds(request) {
        // One each: whoever held the row of one queue and waited for another could meet somebody coming the other way.
        let mut tx = app.db.begin().await?;
        match of_kind(app, &mut tx, worker, *kind, request).await {
            Ok(reply) => {
                tx.commit().await?;
                return Ok(reply);
            }
            Err(Ended::Failed(error)) => return Err(error),
            Err(Ended::NoJob(NoJob::VideoDeleted)) => {
                // Leave everything as it was.
                tx.rollback().await?;
                return Ok(NoJob::VideoDeleted.into_reply());
            }
            Err(Ended::NoJob(no_job)) => why = no_job,
        }
        tx.commit().await?;
        if matches!(why, NoJob::Draining) || request.job_id.is_some() {
            break;
        }
    }
    Ok(why.into_reply())
}

/// The ordinary case in one question instead of six: a worker that is known takes a job that nobody had before. `None` if
/// it is another case, or if there is no job.
async fn at_once(app: &App, worker: WorkerId, request: &ClaimRequest) -> Result<Option<ClaimReply>> {
    let [kind, ..] = *kinds(request) else { return Ok(None) };
    if app.db.is_sqlite() || request.job_id.is_some() {
        return Ok(None);
    }
    let now = app.clock.now();
    let (boot_id, expires) = (request.boot_id, now + app.settings.lease());
    let asker = Asker { worker, boot_id, now, expires, gpu_heard_since: now - app.settings.gpu_deferral() };
    let mut tx = app.db.begin_single().await?;
    let Some(grant) = job::claim_at_once::claim(&mut tx, asker, kind).await? else { return Ok(None) };
    let (job, source, plan) = grant.into_parts();
    let qualities = match &plan {
        Some(_) => report::qualities_of(&mut tx, key_of(&job)).await?,
        None => Vec::new(),
    };
    let claimed = claimed(app, &job, source, plan, qualities, tx.is_traced());
    tx.commit().await?;
    Ok(Some(ClaimReply { job: Some(claimed), reason: None, detail: None }))
}

async fn of_kind(
    app: &App,
    tx: &mut Tx,
    worker: WorkerId,
    kind: QueueType,
    request: &ClaimRequest,
) -> std::result::Result<ClaimReply, Ended> {
    let now = app.clock.now();
    let context = job::claim_context::look(tx, worker, kind, now, now - app.settings.gpu_deferral()).await?;
    let Some(context) = context else {
        return Err(ApiError::unauthorized("This worker is not registered.").into());
    };
    workers::same_boot(app, tx, &context.worker, request.boot_id).await?;
    if context.worker.status == WorkerStatus::Disabled {
        return Err(ApiError::unauthorized("This worker is disabled.").into());
    }
    if context.any_due {
        job::claim::promote_due(tx, now).await?;
    }
    if context.worker.draining {
        return Err(NoJob::Draining.into());
    }
    let row = &context.worker;
    let by = Claimer { worker, worker_name: &row.name, now, expires: now + app.settings.lease() };
    let job = match request.job_id {
        Some(id) => this_job(app, tx, by, &context, id).await?,
        None => best_job(app, tx, by, &context, kind).await?,
    };
    let video = begin_video(app, tx, &job).await?.ok_or(NoJob::VideoDeleted)?;
    Ok(granted(app, tx, job, video, row, request).await?)
}

async fn this_job(
    app: &App,
    tx: &mut Tx,
    by: Claimer<'_>,
    context: &ClaimContext,
    id: JobId,
) -> std::result::Result<JobRow, Ended> {
    if let Some(job) = job::claim::reclaim_own_expired(tx, by, id).await? {
        job::attempts::end(tx, job.id, job.fence - 1, AttemptOutcome::Lost, None, by.now).await?;
        trace::lapsed(tx, &job, by.now).await?;
        return Ok(job);
    }
    let kind = job::get_in(tx, id).await?.ok_or(NoJob::Unknown)?.queue_type;
    let limited = queues::get(tx, kind).await?.max_running;
    if limited.is_none() {
        let queue = queues::get_held(tx, kind).await?;
        if queue.paused {
            return Err(NoJob::Paused(kind).into());
        }
        if queue.max_running.is_some() {
            return Err(NoJob::LimitChanged.into());
        }
    }
    ensure_place(tx, kind, limited).await?;
    let job = job::claim::claim_this(tx, by, id, deferral(app, context, kind)).await?;
    Ok(job.ok_or(NoJob::NotClaimable)?)
}

async fn best_job(
    app: &App,
    tx: &mut Tx,
    by: Claimer<'_>,
    context: &ClaimContext,
    kind: QueueType,
) -> std::result::Result<JobRow, Ended> {
    if context.paused {
        return Err(NoJob::Paused(kind).into());
    }
    ensure_place(tx, kind, context.max_running).await?;
    let has_counted = context.max_running.is_some();
    let found = job::claim::claim_next(tx, by, kind, deferral(app, context, kind), has_counted).await?;
    if let Some(job) = found {
        return Ok(job);
    }
    match deferred_to(context, kind) {
        Some(worker) if job::claim::any_claimable(tx, kind).await? => {
            let (worker, most) = (worker.to_owned(), patience(app, context));
            Err(NoJob::WaitingForGpu { worker, most }.into())
        }
        _ => Err(NoJob::Empty.into()),
    }
}

/// Counts the places of a queue with a limit under a lock of its own, which is taken before any weaker one: two claims
/// that both hold the weaker one could wait for each other for ever.
async fn ensure_place(tx: &mut Tx, kind: QueueType, limit: Option<i32>) -> std::result::Result<(), Ended> {
    if limit.is_none() {
        return Ok(());
    }
    queues::lock(tx, kind).await?;
    let queue = queues::get(tx, kind).await?;
    if queue.paused {
        return Err(NoJob::Paused(kind).into());
    }
    let Some(most) = queue.max_running else { return Ok(()) };
    if job::claim::count_running(tx, kind).await? < i64::from(most) {
        return Ok(());
    }
    Err(NoJob::AtCapacity { queue: kind, most }.into())
}

/// The worker with a better GPU, to which a fresh job is left.
fn deferred_to(context: &ClaimContext, kind: QueueType) -> Option<&str> {
    context.better.as_deref().filter(|_| kind == QueueType::Transcode)
}

/// How long a fresh job is left to a better worker: a GPU does not wait for a faster one as long as a CPU.
fn patience(app: &App, context: &ClaimContext) -> Duration {
    let most = app.settings.gpu_deferral();
    if context.worker.has_gpu { most.min(GPU_FOR_GPU) } else { most }
}

fn deferral(app: &App, context: &ClaimContext, kind: QueueType) -> Deferral {
    let now = app.clock.now();
    let (Some(_), Some(abilities)) = (deferred_to(context, kind), context.better_abilities) else {
        return now.into();
    };
    let unknown_needs = app.settings.ladder.needs().bits();
    Deferral { claimable_by: now - patience(app, context), abilities, unknown_needs }
}

/// Moves the video with its job; `None` if it is gone.
async fn begin_video(app: &App, tx: &mut Tx, job: &JobRow) -> Result<Option<VideoRow>> {
    // Nearly always it waits for its first encoding.
    if job.queue_type.makes_generation()
        && let Some(video) = videos::begin_if_pending(tx, job.video_id).await?
    {
        return Ok(Some(video));
    }
    let Some(video) = videos::get_in(tx, job.video_id).await? else { return Ok(None) };
    let moved = match video.status {
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

/// Nobody ever held it before, and it repeats nothing: there is no need to ask.
fn has_no_plan(job: &JobRow) -> bool {
    job.queue_type.makes_generation() && job.fence == 1 && job.retranscode.is_none()
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
    let plan =
        if has_no_plan(&job) { None } else { generations::plan_in(tx, video.id, job.generation).await? };
    // Without a plan there are no qualities yet.
    let qualities = match &plan {
        Some(_) => {
            if job.queue_type.makes_generation() {
                qualities::reopen(tx, key_of(&job)).await?;
            }
            report::qualities_of(tx, key_of(&job)).await?
        }
        None => Vec::new(),
    };
    let reason = format!("attempt {} by {}", job.attempt_number, worker.name);
    let event = Event::of_job(EventKind::JobClaimed, &worker_actor(&worker.name), &job).because(reason);
    if !job::claim_effects::record_unless_disabled(tx, &job, worker, request.boot_id, event, now).await? {
        return Err(ApiError::unauthorized("This worker is disabled."));
    }
    if worker.boot_id.is_none() {
        workers::note_first_start(tx, worker, now).await?;
    }
    let source =
        ClaimedSource { name: video.source_name, size: video.source_size, sha256: video.source_sha256 };
    let claimed = claimed(app, &job, source, plan, qualities, tx.is_traced());
    Ok(ClaimReply { job: Some(claimed), reason: None, detail: None })
}

fn key_of(job: &JobRow) -> GenerationKey {
    GenerationKey { video: job.video_id, number: job.generation }
}

fn claimed(
    app: &App,
    job: &JobRow,
    source: ClaimedSource,
    plan: Option<Plan>,
    qualities: Vec<QualityReport>,
    is_traced: bool,
) -> ClaimedJob {
    ClaimedJob {
        job_id: job.id,
        number: job.number,
        fence: job.fence,
        queue_type: job.queue_type,
        video_id: job.video_id,
        generation: job.generation,
        attempt_number: job.attempt_number,
        lease_seconds: app.settings.lease_seconds(),
        heartbeat_seconds: app.settings.heartbeat_seconds(),
        source,
        plan,
        qualities,
        cpu_only: job.encoder_failures >= CPU_AFTER,
        traceparent: traces::parent_for_worker(job, is_traced).map(|parent| parent.to_string()),
    }
}
