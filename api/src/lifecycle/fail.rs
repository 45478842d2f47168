//! A worker gave up on an attempt: back to the queue with backoff, or failed for good.

use framefarm_shared::failure::{self, Budget, ErrorClass, Verdict, error_text};
use framefarm_shared::id::WorkerId;
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{FailReply, FailRequest, RefusalCode};

use super::job_end::{Exit, end_job};
use super::refusal::why_refused;
use crate::app::App;
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::end::{Guard, JobEnd};
use crate::db::job::loss::Loss;
use crate::db::job::renew::Holder;
use crate::db::qualities::GenerationKey;
use crate::db::{Tx, events, job, qualities, queues};
use crate::error::{ApiError, Result};

pub async fn fail(app: &App, worker: WorkerId, request: &FailRequest) -> Result<FailReply> {
    if request.message.trim().is_empty() {
        return Err(ApiError::bad_request("bad_text", "`message` must not be empty."));
    }
    let now = app.clock.now();
    let by = Holder { worker, job: request.job_id, fence: request.fence, now };
    let mut tx = app.db.begin().await?;
    let Some(job) = job::get_in(&mut tx, request.job_id).await? else {
        return Err(ApiError::no_such("job"));
    };
    let (guard, message) = (by.into(), request.message.as_str());
    let failure = Failure { class: request.class, message, guard, worker: Some(worker), loss: None };
    let Some(job) = end_attempt(app, &mut tx, &job, by.fence, failure).await? else {
        return note_late_report(app, tx, by, request).await;
    };
    if let Some(log) = request.log.as_deref().and_then(failure::log_text) {
        job::attempts::keep_log(&mut tx, job.id, by.fence, &log).await?;
    }
    tx.commit().await?;
    let retry_in_seconds = job.retry_after.map(|at| (at - now).num_seconds());
    Ok(FailReply { job_id: job.id, status: job.status, retry_in_seconds })
}

/// One failed attempt, by its holder or by the watchdog.
pub(super) struct Failure<'a> {
    pub class: ErrorClass,
    pub message: &'a str,
    pub guard: Guard,
    pub worker: Option<WorkerId>,
    /// Set by the watchdog.
    pub loss: Option<Loss>,
}

/// Judges the failure and ends the claim; `None` if the guard did not hold.
pub(super) async fn end_attempt(
    app: &App,
    tx: &mut Tx,
    job: &JobRow,
    fence: i64,
    failure: Failure<'_>,
) -> Result<Option<JobRow>> {
    let now = app.clock.now();
    let mode = queues::get(tx, job.queue_type).await?.retry_mode;
    let budget = Budget { mode, failures: job.failure_count, max_attempts: job.max_attempts };
    let message = error_text(failure.message);
    let free = failure.class.is_free();
    let (status, retry_after, kind) =
        match failure::judge(failure.class, budget, failure::jitter_of(job.number, fence)) {
            Verdict::RetryAfter(wait) => (JobStatus::Pending, Some(now + wait), EventKind::JobRetryScheduled),
            Verdict::GiveUp => (JobStatus::Failed, None, EventKind::JobFailed),
        };
    let job_end = JobEnd {
        retry_after,
        error: Some((failure.class, message.clone())),
        failures: i32::from(!free),
        refund: i32::from(free),
        loss: failure.loss,
        ..JobEnd::to(status, now)
    };
    let exit = Exit {
        guard: failure.guard,
        job_end,
        kind,
        outcome: AttemptOutcome::Failed,
        actor: "worker",
        reason: Some(format!("{}: {message}", failure.class)),
        worker: failure.worker,
    };
    let ended = end_job(tx, job.id, fence, exit).await?;
    if ended.is_some() && !free && !app.settings.keep_completed_qualities {
        qualities::reset_all(tx, GenerationKey { video: job.video_id, number: job.generation }).await?;
    }
    Ok(ended)
}

/// A report that came too late changes nothing, but its text may explain what happened. Who never held the job has
/// nothing to tell of it.
async fn note_late_report<T>(app: &App, mut tx: Tx, by: Holder, request: &FailRequest) -> Result<T> {
    let code = why_refused(app, &mut tx, by).await?;
    if code != RefusalCode::NotYours
        && let Some(job) = job::get_in(&mut tx, by.job).await?
    {
        let message = error_text(&request.message);
        let event = Event::of_job(EventKind::LateReport, "worker", &job).by_worker(by.worker);
        let event = event.because(format!("refused ({code}): {}: {message}", request.class));
        events::append(&mut tx, event, app.clock.now()).await?;
        tx.commit().await?;
    }
    Err(ApiError::refused(code))
}
