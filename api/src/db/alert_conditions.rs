//! How the farm is, for alerts: what waits, what failed of late, whether anybody takes jobs.

use chrono::{DateTime, Utc};
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use serde_json::Value;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, sql};

/// How many jobs wait, counted up to `most`.
pub async fn waiting(db: &Db, most: i64) -> sqlx::Result<i64> {
    const SQL: &str =
        "SELECT count(*) FROM (SELECT 1 AS one FROM job WHERE status = 'pending' LIMIT $1) counted";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(most).fetch_one(pool).await)
}

/// How the last jobs to finish ended, cancelled ones left out.
pub async fn last_finished(db: &Db, count: i64) -> sqlx::Result<Vec<JobStatus>> {
    const SQL: &str = "SELECT status FROM job WHERE finished_at IS NOT NULL AND status IN ('completed', 'failed') \
         ORDER BY finished_at DESC LIMIT $1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(count).fetch_all(pool).await)
}

/// A queue with a job that could have been taken since `since`: not paused, and not at its limit.
pub async fn passed_over_since(db: &Db, since: DateTime<Utc>) -> sqlx::Result<Option<QueueType>> {
    const SQL: &str = "SELECT q.queue_type FROM queue q WHERE NOT q.paused \
         AND EXISTS (SELECT 1 FROM job j WHERE j.queue_type = q.queue_type AND j.status = 'pending' \
             AND j.retry_after IS NULL AND j.claimable_at <= $1) \
         AND (q.max_running IS NULL OR q.max_running > (SELECT count(*) FROM job r \
             WHERE r.queue_type = q.queue_type AND r.status = 'running')) \
         ORDER BY q.queue_type DESC LIMIT 1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(since).fetch_optional(pool).await)
}

/// Whether a job was taken after `since`.
pub async fn any_claim_since(db: &Db, since: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM event WHERE at > $1 AND kind = 'job_claimed')";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(since).fetch_one(pool).await)
}

/// Workers that could take a job now, and those that are at work.
pub async fn free_and_busy_workers(db: &Db) -> sqlx::Result<(i64, i64)> {
    const SQL: &str = "SELECT count(CASE WHEN status IN ('active', 'idle') AND NOT draining THEN 1 END), \
         count(CASE WHEN status = 'busy' THEN 1 END) FROM worker";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_one(pool).await)
}

/// One failed run.
#[derive(Clone, Debug, FromRow)]
pub struct FailureRow {
    pub worker_id: Option<WorkerId>,
    pub data: Option<Json<Value>>,
}

/// Runs that failed after `since`, for good or to be tried again.
pub async fn failures_since(db: &Db, since: DateTime<Utc>) -> sqlx::Result<Vec<FailureRow>> {
    const SQL: &str = "SELECT worker_id, data FROM event WHERE at > $1 \
         AND kind IN ('job_failed', 'job_retry_scheduled') ORDER BY id DESC LIMIT 1000";
    sql!(db, |pool| sqlx::query_as(SQL).bind(since).fetch_all(pool).await)
}
