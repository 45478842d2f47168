//! Jobs that have been running for long, and the likely reason.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::StuckReason;
use framefarm_shared::state::WorkerStatus;
use serde::Serialize;
use utoipa::ToSchema;

use super::jobs::{Context, Job};
use crate::app::App;
use crate::db::job;
use crate::db::job::JobRow;
use crate::db::workers::{self, WorkerRow};
use crate::error::Result;

/// A job that reported progress within this time counts as moving.
const QUIET: Duration = Duration::seconds(120);

/// A job that has been running for long.
#[derive(Debug, Serialize, ToSchema)]
pub struct StuckJob {
    pub job: Job,
    /// Since its claim.
    pub running_seconds: i64,
    /// Null once the worker was deleted.
    pub worker_status: Option<WorkerStatus>,
    pub worker_last_heartbeat: Option<DateTime<Utc>>,
    /// When progress was last reported.
    pub progressed_at: Option<DateTime<Utc>>,
    /// Seconds without progress.
    pub quiet_seconds: i64,
    /// Remaining time of the lease; negative once it has expired.
    pub lease_seconds: i64,
    pub why: StuckReason,
    /// The reason as a text, and what happens next.
    pub why_text: String,
}

/// Long-running jobs, longest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stuck {
    pub older_seconds: u32,
    pub items: Vec<StuckJob>,
}

pub async fn list(app: &App, older_seconds: u32, limit: u16) -> Result<Stuck> {
    let now = app.clock.now();
    let since = now - Duration::seconds(older_seconds.into());
    let rows = job::lists::running_since(&app.db, since, limit.into()).await?;
    let workers = workers::all(&app.db).await?;
    let workers: HashMap<WorkerId, WorkerRow> = workers.into_iter().map(|row| (row.id, row)).collect();
    let context = Context::load(app, &rows).await?;
    let view = |row: JobRow| {
        let facts = Facts::of(&row, &workers, now);
        let why = facts.why();
        StuckJob {
            running_seconds: facts.running.num_seconds(),
            worker_status: facts.worker.map(|worker| worker.status),
            worker_last_heartbeat: facts.worker.and_then(|worker| worker.last_heartbeat),
            progressed_at: row.progressed_at,
            quiet_seconds: facts.quiet.num_seconds(),
            lease_seconds: facts.lease.num_seconds(),
            why,
            why_text: facts.words(why, &row, app.settings.no_progress_after()),
            job: context.view(row),
        }
    };
    Ok(Stuck { older_seconds, items: rows.into_iter().map(view).collect() })
}

struct Facts<'a> {
    worker: Option<&'a WorkerRow>,
    now: DateTime<Utc>,
    running: Duration,
    quiet: Duration,
    lease: Duration,
}

impl<'a> Facts<'a> {
    fn of(job: &JobRow, workers: &'a HashMap<WorkerId, WorkerRow>, now: DateTime<Utc>) -> Self {
        let since = |at: Option<DateTime<Utc>>| at.map_or(Duration::zero(), |at| now - at);
        Self {
            worker: job.worker_id.and_then(|id| workers.get(&id)),
            now,
            running: since(job.claimed_at),
            quiet: since(job.progressed_at),
            lease: -since(job.claim_expires_at),
        }
    }

    fn why(&self) -> StuckReason {
        let there =
            |worker: &WorkerRow| !matches!(worker.status, WorkerStatus::Offline | WorkerStatus::Disabled);
        if !self.worker.is_some_and(there) {
            StuckReason::WorkerGone
        } else if self.lease <= Duration::zero() {
            StuckReason::LeaseExpired
        } else if self.quiet >= QUIET {
            StuckReason::NoProgress
        } else {
            StuckReason::Slow
        }
    }

    fn words(&self, why: StuckReason, job: &JobRow, limit: Duration) -> String {
        match why {
            StuckReason::WorkerGone => {
                let Some(worker) = self.worker else {
                    return "Its worker was deleted; the job is recovered when the lease expires.".to_owned();
                };
                let heard = worker.last_heartbeat.map_or_else(
                    || "and never sent a heartbeat".to_owned(),
                    |at| format!("and sent its last heartbeat {} s ago", (self.now - at).num_seconds()),
                );
                let (name, status) = (&worker.name, worker.status);
                format!("Its worker {name} is {status} {heard}; the job is recovered when the lease expires.")
            }
            StuckReason::LeaseExpired => format!(
                "Its lease expired {} s ago; the job is recovered unless its worker claims it again.",
                -self.lease.num_seconds()
            ),
            StuckReason::NoProgress => format!(
                "No progress for {} s; the attempt fails automatically after {} s.",
                self.quiet.num_seconds(),
                limit.num_seconds()
            ),
            StuckReason::Slow => {
                format!("It is progressing, at {:.0} %: a long video or a slow worker.", job.progress_percent)
            }
        }
    }
}
