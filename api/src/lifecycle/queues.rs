//! Switches of a queue.

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::JobId;
use framefarm_shared::queue::{QueueType, RetryMode};
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::EventKind;

use crate::app::App;
use crate::db::events::Event;
use crate::db::job_lists::{self, JobFilter};
use crate::db::jobs::{self, JobRow};
use crate::db::{self, events};
use crate::error::{ApiError, Result};

/// Pauses or resumes; running work goes on.
pub async fn set_paused(app: &App, kinds: &[QueueType], paused: bool, actor: &str) -> Result<()> {
    let kind = if paused { EventKind::QueuePaused } else { EventKind::QueueResumed };
    let mut tx = app.db.begin().await?;
    for queue in kinds {
        if db::queues::set_paused(&mut tx, *queue, paused).await? {
            let event = Event::new(kind, actor).because(queue.as_str());
            events::append(&mut tx, event, app.clock.now()).await?;
        }
    }
    tx.commit().await?;
    app.bell.switched();
    Ok(())
}

/// What is to be changed of a queue; `None` stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change {
    /// `Some(None)` takes the limit away.
    pub max_running: Option<Option<i32>>,
    pub retry_mode: Option<RetryMode>,
}

pub async fn change(app: &App, kind: QueueType, change: Change, actor: &str) -> Result<()> {
    if change.max_running.flatten().is_some_and(|most| most < 1) {
        return Err(ApiError::bad_request(
            "bad_max_running",
            "`max_running` must be at least 1, or null for no limit.",
        ));
    }
    let mut tx = app.db.begin().await?;
    db::queues::lock(&mut tx, kind).await?;
    let now = db::queues::get(&mut tx, kind).await?;
    let max_running = change.max_running.unwrap_or(now.max_running);
    let mode = change.retry_mode.unwrap_or(now.retry_mode);
    db::queues::configure(&mut tx, kind, max_running, mode).await?;
    let most = max_running.map_or_else(|| "no limit".to_owned(), |most| most.to_string());
    let event = Event::new(EventKind::QueueChanged, actor)
        .because(format!("{kind}: max_running {most}, retry_mode {mode}"));
    events::append(&mut tx, event, app.clock.now()).await?;
    tx.commit().await?;
    app.bell.switched();
    Ok(())
}

pub async fn configure(app: &App, kind: QueueType, max_running: Option<i32>, mode: RetryMode) -> Result<()> {
    change(app, kind, Change { max_running: Some(max_running), retry_mode: Some(mode) }, super::FARM).await
}

pub async fn set_priority(app: &App, job: JobId, priority: i32, actor: &str) -> Result<JobRow> {
    let mut tx = app.db.begin().await?;
    let Some(row) = jobs::set_priority_if_pending(&mut tx, job, priority).await? else {
        return Err(match jobs::get_in(&mut tx, job).await? {
            None => ApiError::no_such("job"),
            Some(row) => ApiError::conflict(
                "not_pending",
                format!("Job {} is {}; only a waiting job has a place in the queue.", row.number, row.status),
            ),
        });
    };
    let event = Event::of_job(EventKind::JobPriorityChanged, actor, &row).because(priority.to_string());
    events::append(&mut tx, event, app.clock.now()).await?;
    tx.commit().await?;
    Ok(row)
}

const BATCH: i64 = 500;

/// Removes ended jobs of these statuses from the history, in batches. Returns how many.
pub async fn clear(app: &App, filter: JobFilter, statuses: &[JobStatus], actor: &str) -> Result<u64> {
    let mut cleared = 0;
    for status in statuses {
        let filter = JobFilter { status: Some(*status), ..filter.clone() };
        loop {
            let mut tx = app.db.begin().await?;
            let gone = job_lists::delete_ended(&mut tx, &filter, None, BATCH).await?;
            tx.commit().await?;
            cleared += gone;
            if gone == 0 {
                break;
            }
        }
    }
    let mut tx = app.db.begin().await?;
    let event = Event::new(EventKind::QueueCleared, actor).because(format!("{cleared} jobs"));
    events::append(&mut tx, event, app.clock.now()).await?;
    tx.commit().await?;
    Ok(cleared)
}

/// The words for a failure that a person sees beside its class.
pub fn explain(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::InputMissing => "The source file is gone.",
        ErrorClass::InputDenied => "The source file may not be read.",
        ErrorClass::InputInvalid => "The file is not a video that can be decoded.",
        ErrorClass::Encoder => "The encoder failed. It may work on another worker, or once more.",
        ErrorClass::GpuBusy => "Every encoder of the GPU was taken; the job comes back soon.",
        ErrorClass::Transfer => "The network failed on the way.",
        ErrorClass::Storage => "The storage failed.",
        ErrorClass::Timeout => "Nothing moved for too long.",
        ErrorClass::Internal => "A defect of Framefarm.",
        ErrorClass::Poison => "The job took its worker down too often.",
    }
}
