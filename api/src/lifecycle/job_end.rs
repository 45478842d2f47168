//! What else changes when a job stops running: its attempt, its video, its worker, the timeline.

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::{EventData, EventKind};

use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::end::{Guard, JobEnd};
use crate::db::job::end_effects::AttemptEnd;
use crate::db::job::loss::Loss;
use crate::db::{Tx, job, videos};
use crate::error::Result;
use crate::lifecycle::trace;

/// A way out of `running`.
pub(super) struct Exit<'a> {
    pub guard: Guard,
    pub job_end: JobEnd,
    pub kind: EventKind,
    pub outcome: AttemptOutcome,
    pub actor: &'a str,
    pub reason: Option<String>,
    /// Whose claim it was, to set that worker free.
    pub worker: Option<WorkerId>,
}

/// Ends the claim and everything that hangs on it; `None` if the guard did not hold and nothing changed.
pub(super) async fn end_job(tx: &mut Tx, id: JobId, fence: i64, exit: Exit<'_>) -> Result<Option<JobRow>> {
    let Some(job) = job::end::end_if(tx, id, fence, exit.guard, &exit.job_end).await? else {
        return Ok(None);
    };
    let now = exit.job_end.now;
    let error = exit.job_end.error.as_ref().map(|(class, text)| (class.as_str(), text.as_str()));
    let video_failed = job.queue_type.makes_generation() && move_video(tx, &job).await?;
    let mut event = Event::of_job(exit.kind, exit.actor, &job);
    (event.reason, event.worker_id) = (exit.reason, exit.worker);
    if let Some((class, error)) = &exit.job_end.error {
        let (class, error) = (Some(*class), Some(error.clone()));
        event = event.and(EventData { class, error, ..EventData::default() });
    }
    if let (Some(_), Some(data)) = (&exit.job_end.error, &mut event.data) {
        data["used_up"] = (job.failure_count >= job.max_attempts || job.lost_count >= job.max_lost).into();
        data["video_failed"] = video_failed.into();
    }
    let outcome = exit.outcome;
    job::end_effects::record(tx, AttemptEnd { fence, outcome, error, event, now }).await?;
    trace::ended(tx, &job, now).await?;
    Ok(Some(job))
}

/// A video without a finished generation follows its job; one that plays stays `ready`. Whether it failed.
async fn move_video(tx: &mut Tx, job: &JobRow) -> Result<bool> {
    match job.status {
        JobStatus::Pending => {
            videos::wait_if_processing(tx, job.video_id).await?;
        }
        JobStatus::Failed => {
            let message = job.error.as_deref().unwrap_or("The job failed.");
            return Ok(videos::fail_if_unpublished(tx, job.video_id, message).await?);
        }
        JobStatus::Cancelled => {
            videos::cancel_if_unpublished(tx, job.video_id).await?;
        }
        // Completion publishes; a running job has not left.
        JobStatus::Completed | JobStatus::Running => {}
    }
    Ok(false)
}

/// What a lost claim costs: back to the queue after the redelivery delay, or given up as poison.
pub(super) fn after_loss(app: &crate::app::App, lost_count: i32, max_lost: i32, why: Loss) -> JobEnd {
    use framefarm_shared::queue::RedeliveryPosition;
    let now = app.clock.now();
    if lost_count + 1 >= max_lost {
        let text =
            format!("Lost with its worker {} times, most recently because {}.", lost_count + 1, why.words());
        let error = Some((ErrorClass::Poison, text));
        return JobEnd { error, losses: 1, loss: Some(why), ..JobEnd::to(JobStatus::Failed, now) };
    }
    let sort_at = match app.settings.redelivery_position {
        RedeliveryPosition::Original => None,
        RedeliveryPosition::Front => Some(chrono::DateTime::UNIX_EPOCH),
        RedeliveryPosition::Back => Some(now),
    };
    let delay = chrono::Duration::seconds(app.settings.redelivery_delay.into());
    let (retry_after, loss) = (Some(now + delay), Some(why));
    JobEnd { retry_after, sort_at, losses: 1, loss, ..JobEnd::to(JobStatus::Pending, now) }
}
