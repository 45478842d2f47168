//! A waiting job gets another place in the queue, or many do.

use framefarm_shared::id::JobId;
use framefarm_shared::queue::SkipReason;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::{EventData, EventKind};

use super::bulk::{BATCH, Choice, Skipped};
use crate::app::App;
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::lists::JobFilter;
use crate::db::{events, job};
use crate::error::{ApiError, Result};

pub async fn set(app: &App, job: JobId, priority: i32, actor: &str) -> Result<JobRow> {
    let mut tx = app.db.begin().await?;
    let Some(row) = job::set_priority_if_pending(&mut tx, job, priority).await? else {
        return Err(match job::get_in(&mut tx, job).await? {
            None => ApiError::no_such("job"),
            Some(row) => ApiError::conflict(
                "not_pending",
                format!("Job {} is {}; only waiting jobs can change priority.", row.number, row.status),
            ),
        });
    };
    let event = Event::of_job(EventKind::JobPriorityChanged, actor, &row)
        .because(priority.to_string())
        .and(EventData { priority: Some(priority), ..EventData::default() });
    events::append(&mut tx, event, app.clock.now()).await?;
    tx.commit().await?;
    Ok(row)
}

/// What a change of many priorities did, or would do.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    pub changed: u64,
    /// Jobs that already had this priority.
    pub unchanged: u64,
    pub skipped: Skipped,
    pub batches: u32,
}

/// Every waiting job that is meant, in batches of one transaction.
pub async fn set_many(app: &App, choice: Choice, priority: i32, actor: &str, dry_run: bool) -> Result<Moved> {
    let mut done = Moved::default();
    let waits = |status| status == JobStatus::Pending;
    for filter in choice.filters(app, waits, SkipReason::NotPending, &mut done.skipped).await? {
        let same = job::bulk::count_pending(&app.db, &filter, priority, true).await?;
        done.unchanged += u64::try_from(same).unwrap_or(0);
        if dry_run {
            let others = job::bulk::count_pending(&app.db, &filter, priority, false).await?;
            done.changed += u64::try_from(others).unwrap_or(0);
            continue;
        }
        set_matching(app, &filter, priority, actor, &mut done).await?;
    }
    Ok(done)
}

async fn set_matching(
    app: &App,
    filter: &JobFilter,
    priority: i32,
    actor: &str,
    done: &mut Moved,
) -> Result<()> {
    loop {
        let mut tx = app.db.begin().await?;
        let numbers = job::bulk::set_priority_if_pending(&mut tx, filter, priority, BATCH).await?;
        if numbers.is_empty() {
            return Ok(());
        }
        let event = Event::new(EventKind::JobPriorityChanged, actor).because(priority.to_string());
        events::append_of_jobs(&mut tx, event, &numbers, app.clock.now()).await?;
        tx.commit().await?;
        done.changed += numbers.len() as u64;
        done.batches += 1;
    }
}
