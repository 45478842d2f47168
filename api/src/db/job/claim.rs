//! How a job becomes running: the claim, and what makes jobs claimable.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::queue::QueueType;

use crate::db::effects::{Claimable, JobChange, Traced};
use crate::db::job::JobRow;
use crate::db::{Db, Engine, Tx, sql};

/// Who claims, and until when.
#[derive(Clone, Copy)]
pub struct Claimer<'a> {
    pub worker: WorkerId,
    pub worker_name: &'a str,
    pub now: DateTime<Utc>,
    pub expires: DateTime<Utc>,
}

/// An encoder failed so often with a job: no GPU is let near it. The claim's SQL says the same.
pub const CPU_AFTER: i32 = 2;

/// Which fresh jobs a claimer leaves to a better one.
#[derive(Clone, Copy, Debug)]
pub struct Deferral {
    /// What is claimable since then is anybody's.
    pub claimable_by: DateTime<Utc>,
    /// What the better one's GPUs can do, as bits: a job that needs none of it is anybody's at once.
    pub abilities: i32,
    /// What a job is taken to need as long as its source was not probed.
    pub unknown_needs: i32,
}

impl From<DateTime<Utc>> for Deferral {
    /// Leaves nothing to anybody.
    fn from(claimable_by: DateTime<Utc>) -> Self {
        Self { claimable_by, abilities: -1, unknown_needs: -1 }
    }
}

/// What a grant writes. Every liveness field is set anew, or the reaper would judge this run by the last one's.
macro_rules! grant {
    ($condition:expr) => {
        $crate::db::job::claim::grant!("$4", $condition)
    };
    ($worker_name:literal, $condition:expr) => {
        concat!(
            "UPDATE job SET status = 'running', fence = fence + 1, worker_id = $1, claimed_at = $2, \
             claim_expires_at = $3, attempt_number = attempt_number + 1, attempt_started_at = $2, \
             started_at = COALESCE(started_at, $2), progressed_at = $2, last_checkpoint = NULL, \
             current_step = NULL, progress_percent = 0, eta_seconds = NULL, retry_after = NULL, absent_since = NULL, \
             processed_by_worker_id = $1, processed_by_worker_name = ",
            $worker_name,
            " WHERE ",
            $condition,
            " RETURNING *"
        )
    };
}
pub(in crate::db) use grant;

/// A video whose job can begin.
macro_rules! can_begin {
    () => {
        "v.deleted_at IS NULL AND (v.status = 'pending' OR (v.status = 'ready' \
         AND (j.retranscode IS NOT NULL OR j.queue_type <> 'transcode')))"
    };
}
pub(in crate::db) use can_begin;

/// The head of the queue, if it is open. `MATERIALIZED` because PostgreSQL may otherwise run a locking subquery again
/// and hand out more than its LIMIT. The queue's row is held as it is to the end of the transaction: a pause waits for
/// the claims that did not see it, so that none is granted after it was acknowledged. Claims do not wait for each other.
macro_rules! head {
    ($hold:expr, $lock:literal) => {
        concat!(
            "WITH open AS MATERIALIZED (SELECT 1 FROM queue WHERE queue_type = $5 AND NOT paused \
             AND (max_running IS NULL OR $7)",
            $hold,
            "), next AS MATERIALIZED (SELECT j.number, j.video_id, j.generation, j.fence, j.retranscode \
             FROM job j JOIN video v ON v.id = j.video_id WHERE EXISTS (SELECT 1 FROM open) \
             AND j.queue_type = $5 AND j.status = 'pending' AND j.retry_after IS NULL AND (j.claimable_at <= $6 \
             OR (j.claimable_at <= $2 AND (COALESCE(j.gpu_needs, $8) & $9 = 0 \
             OR j.encoder_failures >= 2))) \
             AND ",
            $crate::db::job::claim::can_begin!(),
            " ORDER BY j.priority DESC, j.sort_at, j.number LIMIT 1",
            $lock,
            ") "
        )
    };
}
pub(in crate::db) use head;

macro_rules! take {
    () => {
        grant!("number IN (SELECT number FROM next) AND status = 'pending'")
    };
}

pub const CLAIM_POSTGRES: &str = concat!(head!(" FOR SHARE", " FOR UPDATE OF j SKIP LOCKED"), take!());
pub const CLAIM_SQLITE: &str = concat!(head!("", ""), take!());

/// Takes the best due job of a kind that it does not leave to somebody better, unless its queue is paused. A queue with a
/// limit gives nothing to somebody who has not counted its places under a lock.
pub async fn claim_next(
    tx: &mut Tx,
    by: Claimer<'_>,
    kind: QueueType,
    leaves: impl Into<Deferral>,
    has_counted: bool,
) -> sqlx::Result<Option<JobRow>> {
    let leaves = leaves.into();
    macro_rules! run {
        ($sql:expr, $conn:expr) => {
            sqlx::query_as($sql)
                .bind(by.worker)
                .bind(by.now)
                .bind(by.expires)
                .bind(by.worker_name)
                .bind(kind)
                .bind(leaves.claimable_by)
                .bind(has_counted)
                .bind(leaves.unknown_needs)
                .bind(leaves.abilities)
                .fetch_optional($conn)
                .await
        };
    }
    // SQLite has no row locks: the transaction holds the whole database.
    let job: Option<JobRow> = match tx.engine() {
        Engine::Postgres(conn) => run!(CLAIM_POSTGRES, conn),
        Engine::Sqlite(conn) => run!(CLAIM_SQLITE, conn),
    }?;
    noted(tx, job.as_ref(), Some(by.now));
    Ok(job)
}

/// To be counted and traced. `now` tells how long it waited, for one that came out of the queue.
pub(in crate::db) fn noted(tx: &mut Tx, job: Option<&JobRow>, now: Option<DateTime<Utc>>) {
    if let Some(job) = job {
        let waited = now.map(|now| now - job.claimable_at);
        tx.note(JobChange::Claimed { queue: job.queue_type, waited });
        tx.trace(|| waited.map(|_| Traced::Claimed(Box::new(job.clone()))));
    }
}

/// Takes this job if it is due and of one of the kinds the claimer may take.
pub async fn claim_this(
    tx: &mut Tx,
    by: Claimer<'_>,
    id: JobId,
    leaves: impl Into<Deferral>,
) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = grant!(
        "id = $5 AND status = 'pending' AND retry_after IS NULL AND (claimable_at <= $6 \
         OR (claimable_at <= $2 AND (COALESCE(gpu_needs, $7) & $8 = 0 OR encoder_failures >= 2))) \
         AND EXISTS \
         (SELECT 1 FROM video v WHERE v.id = job.video_id AND v.deleted_at IS NULL AND (v.status = 'pending' \
         OR (v.status = 'ready' AND (job.retranscode IS NOT NULL OR job.queue_type <> 'transcode'))))"
    );
    let leaves = leaves.into();
    let job: Option<JobRow> = sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(by.worker)
        .bind(by.now)
        .bind(by.expires)
        .bind(by.worker_name)
        .bind(id)
        .bind(leaves.claimable_by)
        .bind(leaves.unknown_needs)
        .bind(leaves.abilities)
        .fetch_optional(conn)
        .await)?;
    noted(tx, job.as_ref(), Some(by.now));
    Ok(job)
}

/// The holder of an expired claim that nobody took yet goes on under a new fence.
pub async fn reclaim_own_expired(tx: &mut Tx, by: Claimer<'_>, id: JobId) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = grant!("id = $5 AND status = 'running' AND worker_id = $1 AND claim_expires_at <= $2");
    let job: Option<JobRow> = sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(by.worker)
        .bind(by.now)
        .bind(by.expires)
        .bind(by.worker_name)
        .bind(id)
        .fetch_optional(conn)
        .await)?;
    noted(tx, job.as_ref(), None);
    Ok(job)
}

/// Jobs whose time has come enter the claim's index, at most a hundred at once. Returns how many.
pub async fn promote_due(tx: &mut Tx, now: DateTime<Utc>) -> sqlx::Result<u64> {
    macro_rules! promote {
        ($lock:literal) => {
            concat!(
                "WITH due AS MATERIALIZED (SELECT number FROM job WHERE status = 'pending' AND retry_after <= $1 \
                 ORDER BY retry_after LIMIT 100",
                $lock,
                ") UPDATE job SET retry_after = NULL WHERE status = 'pending' AND retry_after <= $1 \
                 AND number IN (SELECT number FROM due) RETURNING queue_type, priority"
            )
        };
    }
    const POSTGRES: &str = promote!(" FOR UPDATE SKIP LOCKED");
    const SQLITE: &str = promote!("");
    let due: Vec<(QueueType, i32)> = match tx.engine() {
        Engine::Postgres(conn) => sqlx::query_as(POSTGRES).bind(now).fetch_all(conn).await,
        Engine::Sqlite(conn) => sqlx::query_as(SQLITE).bind(now).fetch_all(conn).await,
    }?;
    let promoted = due.len() as u64;
    tx.effects.claimable.extend(due.into_iter().map(|(queue, priority)| Claimable { queue, priority }));
    Ok(promoted)
}

/// How many jobs of a kind run now.
pub async fn count_running(tx: &mut Tx, kind: QueueType) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT count(*) FROM job WHERE queue_type = $1 AND status = 'running'";
    sql!(tx, |conn| sqlx::query_scalar(SQL).bind(kind).fetch_one(conn).await)
}

/// Whether anything of a kind could be claimed by somebody.
pub async fn any_claimable(tx: &mut Tx, kind: QueueType) -> sqlx::Result<bool> {
    // In the order of the index, for the reason below.
    const SQL: &str = "SELECT number FROM job WHERE queue_type = $1 AND status = 'pending' \
         AND retry_after IS NULL ORDER BY queue_type, priority DESC, sort_at, number LIMIT 1";
    let found: Option<i64> = sql!(tx, |conn| sqlx::query_scalar(SQL).bind(kind).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Whether a look is worth its transaction: a job of one of these kinds can be claimed, or its time has come.
pub async fn anything_due(db: &Db, kinds: &[QueueType], now: DateTime<Utc>) -> sqlx::Result<bool> {
    // The first of an index, not EXISTS: PostgreSQL expects a third of all rows to be before an instant that it does not
    // know, and would look through the whole table for one where none is.
    const SQL: &str = concat!(
        "SELECT CASE WHEN (SELECT j.number FROM job j JOIN video v ON v.id = j.video_id \
         WHERE j.queue_type = $1 AND j.status = 'pending' AND j.retry_after IS NULL \
         AND EXISTS (SELECT 1 FROM queue WHERE queue_type = $1 AND NOT paused AND (max_running IS NULL \
         OR max_running > (SELECT count(*) FROM job r WHERE r.queue_type = $1 AND r.status = 'running'))) AND ",
        can_begin!(),
        " ORDER BY j.queue_type, j.priority DESC, j.sort_at, j.number LIMIT 1) IS NOT NULL \
         OR (SELECT retry_after FROM job WHERE status = 'pending' AND retry_after IS NOT NULL \
         ORDER BY retry_after LIMIT 1) <= $2 THEN 1 ELSE 0 END"
    );
    for kind in kinds {
        let found: i32 = sql!(db, |pool| sqlx::query_scalar(SQL).bind(kind).bind(now).fetch_one(pool).await)?;
        if found == 1 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The best jobs that could have been claimed since `since`.
pub async fn claimable_since(db: &Db, since: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<Claimable>> {
    const SQL: &str = "SELECT queue_type, priority FROM job WHERE status = 'pending' AND retry_after IS NULL \
         AND claimable_at <= $1 ORDER BY priority DESC, sort_at, number LIMIT $2";
    let rows: Vec<(QueueType, i32)> =
        sql!(db, |pool| sqlx::query_as(SQL).bind(since).bind(limit).fetch_all(pool).await)?;
    Ok(rows.into_iter().map(|(queue, priority)| Claimable { queue, priority }).collect())
}
