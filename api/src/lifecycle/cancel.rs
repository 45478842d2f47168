//! A person stops a job. Its worker hears of it at its next call.

use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;

use super::job_end::{Exit, end_job};
use super::trace;
use crate::app::App;
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::end::{Guard, JobEnd};
use crate::db::{Tx, events, job, videos};
use crate::error::{ApiError, Result};

/// Cancels every live job of a video. Returns them.
pub async fn cancel_video(app: &App, video: VideoId, actor: &str) -> Result<Vec<JobId>> {
    let mut tx = app.db.begin().await?;
    let live = job::live_of_video(&mut tx, video).await?;
    if videos::get_in(&mut tx, video).await?.is_none_or(|row| row.deleted_at.is_some()) {
        return Err(ApiError::no_such("video"));
    }
    if live.is_empty() {
        return Err(ApiError::conflict("nothing_to_cancel", "No job of this video is waiting or running."));
    }
    for job in &live {
        cancel_in(app, &mut tx, job, actor, None).await?;
    }
    tx.commit().await?;
    Ok(live.into_iter().map(|job| job.id).collect())
}

pub async fn cancel_job(app: &App, id: JobId, actor: &str) -> Result<JobRow> {
    let mut tx = app.db.begin().await?;
    let job = job::get_in(&mut tx, id).await?.ok_or_else(|| ApiError::no_such("job"))?;
    if !cancel_in(app, &mut tx, &job, actor, None).await? {
        let detail =
            format!("Job {} is {}; only waiting and running jobs can be cancelled.", job.number, job.status);
        return Err(ApiError::conflict("nothing_to_cancel", detail));
    }
    let job = job::get_in(&mut tx, id).await?.ok_or_else(|| ApiError::no_such("job"))?;
    tx.commit().await?;
    Ok(job)
}

/// Cancels a live job inside a larger transaction.
pub(super) async fn cancel_in(
    app: &App,
    tx: &mut Tx,
    job: &JobRow,
    actor: &str,
    reason: Option<&str>,
) -> Result<bool> {
    let now = app.clock.now();
    if let Some(row) = job::cancel_if_pending(tx, job.id, now).await? {
        if row.queue_type.makes_generation() {
            videos::cancel_if_unpublished(tx, row.video_id).await?;
        }
        let mut event = Event::of_job(EventKind::JobCancelled, actor, &row);
        event.reason = reason.map(str::to_owned);
        events::append(tx, event, now).await?;
        trace::ended(tx, &row, now).await?;
        return Ok(true);
    }
    let exit = Exit {
        guard: Guard::Whatever,
        job_end: JobEnd::to(JobStatus::Cancelled, now),
        kind: EventKind::JobCancelled,
        outcome: AttemptOutcome::Cancelled,
        actor,
        reason: reason.map(str::to_owned),
        worker: job.worker_id,
    };
    Ok(end_job(tx, job.id, job.fence, exit).await?.is_some())
}
