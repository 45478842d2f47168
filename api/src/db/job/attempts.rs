//! Table `attempt`: every claim ever granted; tells who once held a job.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::state::AttemptOutcome;
use sqlx_macros::FromRow;

use crate::db::job::JobRow;
use crate::db::{Db, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct AttemptRow {
    pub job_id: JobId,
    pub fence: i64,
    pub number: i32,
    pub worker_id: WorkerId,
    pub worker_name: String,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub outcome: Option<AttemptOutcome>,
    pub error_class: Option<String>,
    pub error: Option<String>,
    /// The last lines of its encoder, if it failed and told them.
    pub log: Option<String>,
}

pub async fn begin(
    tx: &mut Tx,
    job: &JobRow,
    worker: WorkerId,
    worker_name: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO attempt (job_id, fence, number, worker_id, worker_name, started_at) \
         VALUES ($1, $2, $3, $4, $5, $6)";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(job.id)
        .bind(job.fence)
        .bind(job.attempt_number)
        .bind(worker)
        .bind(worker_name)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))
}

/// Closes the attempt; its outcome is written once.
pub async fn end(
    tx: &mut Tx,
    job: JobId,
    fence: i64,
    outcome: AttemptOutcome,
    error: Option<(&str, &str)>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = include_str!("end_attempt.sql");
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(job)
        .bind(fence)
        .bind(now)
        .bind(outcome)
        .bind(error.map(|(class, _)| class))
        .bind(error.map(|(_, text)| text))
        .execute(conn)
        .await
        .map(drop))
}

/// What the encoder wrote last, of an attempt that has ended.
pub async fn keep_log(tx: &mut Tx, job: JobId, fence: i64, log: &str) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE attempt SET log = $3 WHERE job_id = $1 AND fence = $2 AND ended_at IS NOT NULL";
    sql!(tx, |conn| sqlx::query(SQL).bind(job).bind(fence).bind(log).execute(conn).await.map(drop))
}

pub async fn get(tx: &mut Tx, job: JobId, fence: i64) -> sqlx::Result<Option<AttemptRow>> {
    const SQL: &str = "SELECT * FROM attempt WHERE job_id = $1 AND fence = $2";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(job).bind(fence).fetch_optional(conn).await)
}

pub async fn of_job(db: &Db, job: JobId) -> sqlx::Result<Vec<AttemptRow>> {
    const SQL: &str = "SELECT * FROM attempt WHERE job_id = $1 ORDER BY fence";
    sql!(db, |pool| sqlx::query_as(SQL).bind(job).fetch_all(pool).await)
}

/// Whether this worker was ever granted this job.
pub async fn ever_held(tx: &mut Tx, job: JobId, worker: WorkerId) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM attempt WHERE job_id = $1 AND worker_id = $2";
    let count: i64 = sql!(tx, |conn| sqlx::query_scalar(SQL).bind(job).bind(worker).fetch_one(conn).await)?;
    Ok(count > 0)
}
