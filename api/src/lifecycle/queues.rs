//! Settings of a queue, and its history.

use framefarm_shared::failure::{ErrorClass, error_text};
use framefarm_shared::queue::{QueueType, RetryMode};
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::{EventData, EventKind};

use crate::app::App;
use crate::db::events::Event;
use crate::db::job::lists::JobFilter;
use crate::db::{self, events, job};
use crate::error::{ApiError, Result};

/// Pauses or resumes; running work goes on.
pub async fn set_paused(app: &App, kinds: &[QueueType], paused: bool, actor: &str) -> Result<()> {
    let kind = if paused { EventKind::QueuePaused } else { EventKind::QueueResumed };
    let mut tx = app.db.begin().await?;
    let mut switched = Vec::new();
    for queue in kinds {
        if db::queues::set_paused(&mut tx, *queue, paused).await? {
            switched.push(*queue);
        }
    }
    if !switched.is_empty() {
        let names: Vec<_> = switched.iter().map(|queue| queue.as_str()).collect();
        let event = Event::new(kind, actor).because(names.join(", "));
        let event = event.and(EventData { queues: Some(switched), ..EventData::default() });
        events::append(&mut tx, event, app.clock.now()).await?;
    }
    tx.commit().await?;
    app.waiters.switched();
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
    app.waiters.switched();
    Ok(())
}

pub async fn configure(app: &App, kind: QueueType, max_running: Option<i32>, mode: RetryMode) -> Result<()> {
    change(app, kind, Change { max_running: Some(max_running), retry_mode: Some(mode) }, super::FARM).await
}

/// Jobs that are removed in one transaction, so that claims get in between.
const BATCH: i64 = 1000;

/// What a clearing did, or would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    pub cleared: u64,
    pub batches: u32,
}

/// Removes ended jobs of these statuses from the history, in batches. `scope` is the filter in words, for the audit.
pub async fn clear(
    app: &App,
    filter: &JobFilter,
    statuses: &[JobStatus],
    scope: &str,
    actor: &str,
    dry_run: bool,
) -> Result<Cleared> {
    let mut done = Cleared::default();
    if dry_run {
        let count = job::bulk::count(&app.db, filter, statuses).await?;
        done.cleared = u64::try_from(count).unwrap_or(0);
        return Ok(done);
    }
    for status in statuses.iter().filter(|status| filter.status.is_none_or(|only| only == **status)) {
        let filter = JobFilter { status: Some(*status), ..filter.clone() };
        loop {
            let mut tx = app.db.begin().await?;
            let gone = job::lists::delete_ended(&mut tx, &filter, None, BATCH).await?;
            tx.commit().await?;
            done.cleared += gone;
            done.batches += 1;
            if gone < BATCH.unsigned_abs() {
                break;
            }
        }
    }
    if done.cleared > 0 {
        let kinds: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
        let reason = format!("{} {} jobs{scope}", done.cleared, kinds.join(" and "));
        let mut tx = app.db.begin().await?;
        let event = Event::new(EventKind::QueueCleared, actor).because(error_text(&reason));
        events::append(&mut tx, event, app.clock.now()).await?;
        tx.commit().await?;
    }
    Ok(done)
}

/// The text shown to people beside the class of a failure.
pub fn explain(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::InputMissing => "The source file is missing.",
        ErrorClass::InputDenied => "No permission to read the source file.",
        ErrorClass::InputInvalid => "The file cannot be decoded as video or audio.",
        ErrorClass::Encoder => "The encoder failed. A retry, or another worker, may succeed.",
        ErrorClass::GpuBusy => {
            "All encoder sessions of the GPU were in use; the job is retried automatically."
        }
        ErrorClass::Transfer => "A network transfer failed.",
        ErrorClass::Storage => "A storage operation failed.",
        ErrorClass::Timeout => "No progress for too long.",
        ErrorClass::Internal => "An internal error of Framefarm.",
        ErrorClass::Poison => "The job was lost with its worker too often.",
    }
}
