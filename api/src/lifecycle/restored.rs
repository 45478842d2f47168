//! The database was put back to an earlier state. What the farm did since then is forgotten here, but not by the workers,
//! pages and uploaders who saw it: nothing that was handed out to them may be handed out again.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;

use super::FARM;
use super::job_end::{Exit, end_job};
use crate::app::App;
use crate::db::events::Event;
use crate::db::job::end::{Guard, JobEnd};
use crate::db::{events, key_value, restored};
use crate::error::Result;

/// Of jobs: more than a farm enqueues in the hours for which a backup is old.
const SKIPPED_NUMBERS: i32 = 1_000;

/// What was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    pub jobs_released: usize,
    pub uploads_dropped: u64,
}

/// Once, after a restore and before the farm serves. `of` is when the backup was made.
pub async fn settle(app: &App, of: Option<DateTime<Utc>>) -> Result<Settled> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let running = restored::running(&mut tx).await?;
    let jobs_released = running.len();
    let delay = Duration::seconds(app.settings.redelivery_delay.into());
    for job in running {
        let exit = Exit {
            guard: Guard::Whatever,
            job_end: JobEnd {
                retry_after: Some(now + delay),
                refund: 1,
                ..JobEnd::to(JobStatus::Pending, now)
            },
            kind: EventKind::JobReleased,
            outcome: AttemptOutcome::Released,
            actor: FARM,
            reason: Some("the farm was restored from a backup".to_owned()),
            worker: job.worker_id,
        };
        end_job(&mut tx, job.id, job.fence, exit).await?;
    }
    // The time in milliseconds is above every number of the farm that was, however often the same backup is restored:
    // nobody claims a job a thousand times a second.
    let base = now.timestamp_millis();
    restored::raise_fences(&mut tx, base).await?;
    restored::raise_event_ids(&mut tx, base).await?;
    restored::skip_job_numbers(&mut tx, SKIPPED_NUMBERS).await?;
    let uploads_dropped = restored::drop_open_uploads(&mut tx).await?;
    restored::forget_leaders(&mut tx).await?;
    key_value::set(&mut tx, key_value::BACKUP_UNTIL, "0").await?;
    let reason = match of {
        Some(of) => format!("to its state at {}", of.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
        None => "from a database dump".to_owned(),
    };
    events::append(&mut tx, Event::new(EventKind::FarmRestored, FARM).because(reason), now).await?;
    tx.commit().await?;
    Ok(Settled { jobs_released, uploads_dropped })
}
