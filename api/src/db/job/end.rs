//! How a job stops running. One statement writes the end of a claim; its guard says who may.

use chrono::{DateTime, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use crate::db::job;

use crate::db::effects::{AttemptEnding, JobChange, Traced};
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::end_effects::AttemptEnd;
use crate::db::job::loss::Loss;
use crate::db::job::renew::Holder;
use crate::db::{Db, Engine, Tx, sql};

/// Who ends the claim.
#[derive(Clone, Copy, Debug)]
pub enum Guard {
    /// Its holder, while the lease lives.
    Held { worker: WorkerId, now: DateTime<Utc> },
    /// The reaper: expired, and the worker is gone or silent, or expired for longer than `cap`.
    Abandoned { now: DateTime<Utc>, cap: DateTime<Utc> },
    /// The watchdog: nothing moved since `since`.
    Stalled { since: DateTime<Utc> },
    /// Proof of death, or an admin: whatever the lease says.
    Whatever,
}

/// How the job stands afterwards.
#[derive(Clone, Debug)]
pub struct JobEnd {
    pub status: JobStatus,
    pub now: DateTime<Utc>,
    /// Back in the queue, but not before this.
    pub retry_after: Option<DateTime<Utc>>,
    /// A new place in the queue.
    pub sort_at: Option<DateTime<Utc>>,
    pub error: Option<(ErrorClass, String)>,
    pub failures: i32,
    pub losses: i32,
    /// Attempts given back (a hand-over costs nothing).
    pub refund: i32,
    pub results: Option<serde_json::Value>,
    /// Why it was taken from its worker, if it was.
    pub loss: Option<Loss>,
}

impl JobEnd {
    pub fn to(status: JobStatus, now: DateTime<Utc>) -> Self {
        let (retry_after, sort_at, error, results) = (None, None, None, None);
        Self {
            status,
            now,
            retry_after,
            sort_at,
            error,
            failures: 0,
            losses: 0,
            refund: 0,
            results,
            loss: None,
        }
    }

    /// How the attempt ended.
    pub fn outcome(&self) -> AttemptOutcome {
        match self.status {
            JobStatus::Completed => AttemptOutcome::Completed,
            JobStatus::Cancelled => AttemptOutcome::Cancelled,
            _ if self.losses > 0 => AttemptOutcome::Lost,
            _ if self.error.is_some() => AttemptOutcome::Failed,
            _ => AttemptOutcome::Released,
        }
    }

    /// What is counted of it. `job` is the row as it stands afterwards.
    fn change(&self, job: &JobRow) -> JobChange {
        let class = self.error.as_ref().map(|(class, _)| *class);
        let tried_often =
            class.is_some_and(|class| !class.is_permanent()) && job.failure_count >= job.max_attempts;
        let used_up = match self.status {
            JobStatus::Failed if self.losses > 0 => Some("losses"),
            JobStatus::Failed if tried_often => Some("failures"),
            _ => None,
        };
        let lasted = job.attempt_started_at.map(|began| self.now - began);
        let (queue, status, outcome, loss) = (job.queue_type, job.status, self.outcome(), self.loss);
        JobChange::Left { queue, status, outcome, lasted, class, loss, used_up }
    }

    /// What is traced of it: one that was lost is an error too, though nobody made it.
    fn ending(&self, job: &JobRow) -> AttemptEnding {
        let failed = self.error.as_ref().map(|(class, text)| (class.as_str(), text.clone()));
        let error = failed.or_else(|| self.loss.map(|loss| (loss.as_str(), loss.words().to_owned())));
        let (at, outcome, number) = (self.now, self.outcome(), job.attempt_number + self.refund);
        AttemptEnding { at, outcome, number, error }
    }
}

macro_rules! end_job {
    ($guard:literal) => {
        concat!(
            "UPDATE job SET \
             /* rule: job_leaves */ \
             status = $3, claimed_at = NULL, claim_expires_at = NULL, worker_id = NULL, eta_seconds = NULL, \
             current_step = CASE WHEN $3 = 'completed' THEN 'finalize' WHEN $3 = 'pending' THEN NULL ELSE current_step END, \
             progress_percent = CASE WHEN $3 = 'completed' THEN 100.0 ELSE progress_percent END, \
             finished_at = CASE WHEN $3 = 'pending' THEN NULL ELSE $4 END, \
             retry_after = $5, claimable_at = COALESCE($5, $4), sort_at = COALESCE($6, sort_at), \
             error_class = CASE WHEN $3 = 'completed' THEN NULL ELSE COALESCE($7, error_class) END, \
             error = CASE WHEN $3 = 'completed' THEN NULL ELSE COALESCE($8, error) END, \
             failure_count = failure_count + $9, lost_count = lost_count + $10, \
             attempt_number = attempt_number - $11, \
             encoder_failures = encoder_failures + CASE WHEN $7 = 'encoder' THEN 1 ELSE 0 END, \
             results = COALESCE($12, results) \
             /* end */ \
             WHERE id = $1 AND fence = $2 AND status = 'running'",
            $guard,
            " RETURNING *"
        )
    };
}

macro_rules! bound {
    ($sql:expr, $id:expr, $fence:expr, $job_end:expr) => {
        sqlx::query_as($sql)
            .bind($id)
            .bind($fence)
            .bind($job_end.status)
            .bind($job_end.now)
            .bind($job_end.retry_after)
            .bind($job_end.sort_at)
            .bind($job_end.error.as_ref().map(|(class, _)| *class))
            .bind($job_end.error.as_ref().map(|(_, text)| text.as_str()))
            .bind($job_end.failures)
            .bind($job_end.losses)
            .bind($job_end.refund)
            .bind($job_end.results.as_ref().map(Json))
    };
}

/// Ends the claim if the guard holds; `None` says that it does not, and nothing changed.
pub async fn end_if(
    tx: &mut Tx,
    id: JobId,
    fence: i64,
    guard: Guard,
    job_end: &JobEnd,
) -> sqlx::Result<Option<JobRow>> {
    const HELD: &str = end_job!(" AND worker_id = $13 AND claim_expires_at > $14");
    const ABANDONED: &str = end_job!(
        " AND claim_expires_at <= $13 AND (claim_expires_at <= $14 OR NOT EXISTS (SELECT 1 FROM worker w \
         WHERE w.id = job.worker_id AND w.status NOT IN ('offline', 'disabled')))"
    );
    const STALLED: &str = end_job!(" AND progressed_at <= $13");
    const WHATEVER: &str = end_job!("");
    let job: Option<JobRow> = match guard {
        Guard::Held { worker, now } => {
            sql!(tx, |conn| bound!(HELD, id, fence, job_end)
                .bind(worker)
                .bind(now)
                .fetch_optional(conn)
                .await)
        }
        Guard::Abandoned { now, cap } => {
            sql!(tx, |conn| bound!(ABANDONED, id, fence, job_end)
                .bind(now)
                .bind(cap)
                .fetch_optional(conn)
                .await)
        }
        Guard::Stalled { since } => {
            sql!(tx, |conn| bound!(STALLED, id, fence, job_end).bind(since).fetch_optional(conn).await)
        }
        Guard::Whatever => sql!(tx, |conn| bound!(WHATEVER, id, fence, job_end).fetch_optional(conn).await),
    }?;
    note_end(tx, job.as_ref(), job_end);
    Ok(job)
}

/// What is told, counted and traced once it is committed.
fn note_end(tx: &mut Tx, job: Option<&JobRow>, job_end: &JobEnd) {
    let Some(job) = job else { return };
    tx.claimable_if_due(Some(job));
    tx.effects.freed.push(job.queue_type);
    tx.note(job_end.change(job));
    tx.trace(|| Some(Traced::Left(Box::new(job.clone()), job_end.ending(job))));
}

/// Whatever the guard is.
#[cfg(test)]
pub(super) const END_JOB: &str = end_job!("");

/// For PostgreSQL.
pub const COMPLETE: &str = include_str!("complete.sql");

/// A job that was completed.
#[derive(Clone, Debug, FromRow)]
pub struct Completed {
    #[sqlx(flatten)]
    pub job: JobRow,
    /// Its worker held others when the statement began. They may have ended while it waited, so what was written of the
    /// worker has to be looked at again.
    pub has_others: bool,
}

/// A completion with all that hangs on it, as `end_effects` writes it for the other ways out: the attempt is over, the
/// worker is free, the timeline tells. One statement on PostgreSQL. `None` if the guard does not hold; nothing changed.
pub async fn complete(
    tx: &mut Tx,
    by: Holder,
    results: Option<serde_json::Value>,
    reason: &str,
) -> sqlx::Result<Option<Completed>> {
    const ACTOR: &str = "worker";
    let (kind, now) = (EventKind::JobCompleted, by.now);
    let job_end = JobEnd { results, ..JobEnd::to(JobStatus::Completed, now) };
    if let Engine::Postgres(conn) = tx.engine() {
        let query = bound!(COMPLETE, by.job, by.fence, job_end).bind(by.worker).bind(kind).bind(ACTOR);
        let completed: Option<Completed> = query.bind(reason).fetch_optional(conn).await?;
        tx.has_events |= completed.is_some();
        note_end(tx, completed.as_ref().map(|completed| &completed.job), &job_end);
        return Ok(completed);
    }
    let Some(job) = end_if(tx, by.job, by.fence, by.into(), &job_end).await? else { return Ok(None) };
    let event = Event::of_job(kind, ACTOR, &job).because(reason).by_worker(by.worker);
    let end = AttemptEnd { fence: by.fence, outcome: job_end.outcome(), error: None, event, now };
    job::end_effects::record(tx, end).await?;
    Ok(Some(Completed { job, has_others: false }))
}

/// A job whose claim the reaper may have to end.
#[derive(Clone, Debug, FromRow)]
pub struct Suspect {
    pub number: i64,
    pub id: JobId,
    pub fence: i64,
    pub worker_id: Option<WorkerId>,
    pub lost_count: i32,
    pub max_lost: i32,
    pub failure_count: i32,
    pub max_attempts: i32,
}

const BATCH: i64 = 100;

/// Expired claims of workers that are gone or silent, and any claim expired by `cap`, a batch of those behind the number
/// `after`. The scan starts from claims, so it does not matter when or whether the worker was seen going offline.
pub async fn abandoned(
    db: &Db,
    now: DateTime<Utc>,
    cap: DateTime<Utc>,
    after: i64,
) -> sqlx::Result<Vec<Suspect>> {
    const SQL: &str = "SELECT j.number, j.id, j.fence, j.worker_id, j.lost_count, j.max_lost, j.failure_count, \
         j.max_attempts FROM job j LEFT JOIN worker w ON w.id = j.worker_id \
         WHERE j.status = 'running' AND j.claim_expires_at <= $1 \
         AND (j.claim_expires_at <= $2 OR w.id IS NULL OR w.status IN ('offline', 'disabled')) \
         AND j.number > $3 ORDER BY j.number LIMIT $4";
    sql!(db, |pool| sqlx::query_as(SQL).bind(now).bind(cap).bind(after).bind(BATCH).fetch_all(pool).await)
}

/// Running jobs on which nothing moved since `since`, a batch of those behind the number `after`.
pub async fn stalled(db: &Db, since: DateTime<Utc>, after: i64) -> sqlx::Result<Vec<Suspect>> {
    const SQL: &str = "SELECT number, id, fence, worker_id, lost_count, max_lost, failure_count, max_attempts \
         FROM job WHERE status = 'running' AND progressed_at <= $1 AND number > $2 ORDER BY number LIMIT $3";
    sql!(db, |pool| sqlx::query_as(SQL).bind(since).bind(after).bind(BATCH).fetch_all(pool).await)
}

/// What a worker holds, locked to the end of the transaction in a fixed order.
pub async fn held_by(tx: &mut Tx, worker: WorkerId) -> sqlx::Result<Vec<JobRow>> {
    const TEXT: &str = "SELECT * FROM job WHERE worker_id = $1 AND status = 'running' ORDER BY number";
    const LOCKING: &str =
        "SELECT * FROM job WHERE worker_id = $1 AND status = 'running' ORDER BY number FOR UPDATE";
    match tx.engine() {
        Engine::Postgres(conn) => sqlx::query_as(LOCKING).bind(worker).fetch_all(conn).await,
        Engine::Sqlite(conn) => sqlx::query_as(TEXT).bind(worker).fetch_all(conn).await,
    }
}

/// The guard of a job's holder.
impl From<Holder> for Guard {
    fn from(by: Holder) -> Self {
        Self::Held { worker: by.worker, now: by.now }
    }
}
