//! A person has a failed or cancelled job tried again, with a new budget and what was delivered before.

use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::VideoStatus;
use framefarm_shared::wire::event::EventKind;

use crate::app::App;
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::videos::VideoRow;
use crate::db::{Tx, events, generations, job, sources, videos};
use crate::error::{ApiError, Result};
use crate::lifecycle::retranscode;

pub async fn retry_video(app: &App, video: VideoId, actor: &str) -> Result<JobRow> {
    let mut tx = app.db.begin().await?;
    let Some(row) = videos::get_in(&mut tx, video).await?.filter(|row| row.deleted_at.is_none()) else {
        return Err(ApiError::no_such("video"));
    };
    if row.source_deleted_at.is_some() {
        return Err(ApiError::source_needed());
    }
    let Some(job) = job::newest_of_video(&mut tx, video, QueueType::Transcode).await? else {
        return retry_without_job(app, tx, &row, actor).await;
    };
    let Some(job) = retry_in(app, &mut tx, job.id, actor).await? else {
        let detail =
            format!("Job {} is {}; only failed and cancelled jobs can be retried.", job.number, job.status);
        return Err(ApiError::conflict("not_retryable", detail));
    };
    tx.commit().await?;
    Ok(job)
}

/// The failed job has left the history: a new one starts over.
async fn retry_without_job(app: &App, mut tx: Tx, video: &VideoRow, actor: &str) -> Result<JobRow> {
    if video.status != VideoStatus::Failed {
        let detail = format!("The video is {}; only failed videos can be retried.", video.status);
        return Err(ApiError::conflict("not_retryable", detail));
    }
    let job = retranscode::begin_again(app, &mut tx, video, 0, actor).await?;
    tx.commit().await?;
    Ok(job)
}

/// `true` if the job went back to the queue.
pub async fn requeue(app: &App, job: JobId, actor: &str) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let retried = retry_in(app, &mut tx, job, actor).await?.is_some();
    if retried {
        tx.commit().await?;
    }
    Ok(retried)
}

/// `None` if the job is not ended, its video or the original is gone, or a live job does the same work already.
async fn retry_in(app: &App, tx: &mut Tx, id: JobId, actor: &str) -> Result<Option<JobRow>> {
    let now = app.clock.now();
    let Some(old) = job::get_in(tx, id).await? else { return Ok(None) };
    if job::live_by_identity(tx, &old.identity, old.queue_type).await?.is_some() {
        return Ok(None);
    }
    let retried = match job::retry_if_ended(tx, id, now).await {
        // The same work was queued between our look and our change.
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => return Ok(None),
        retried => retried?,
    };
    let Some(mut job) = retried else { return Ok(None) };
    if !sources::hold_if_kept(tx, job.video_id).await? {
        return Ok(None);
    }
    let Some(video) = videos::get_in(tx, job.video_id).await? else { return Ok(None) };
    videos::wait_if_failed(tx, video.id).await?;
    // The cleaner may have taken what an old attempt left, or a newer job has published since then; a generation's
    // number is never used twice.
    if job.queue_type.makes_generation()
        && (job.generation <= video.generation
            || generations::plan_row(tx, video.id, job.generation).await?.is_none())
    {
        let Some(number) = videos::next_generation(tx, video.id).await? else { return Ok(None) };
        generations::insert(tx, video.id, number, None, now).await?;
        let again = (video.status == VideoStatus::Ready).then(|| retranscode::everything(app));
        job::begin_anew(tx, job.id, number, again.as_ref()).await?;
        job.generation = number;
    }
    events::append(tx, Event::of_job(EventKind::JobRequeued, actor, &job), now).await?;
    Ok(Some(job))
}
