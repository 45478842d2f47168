//! What an estimate is made of: jobs that are done, that run, and that come next.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use sqlx_macros::FromRow;

use crate::db::{Db, Engine, sql};

/// A transcode that was done in one attempt.
#[derive(Clone, Debug, FromRow)]
pub struct DoneJob {
    pub worker_id: Option<WorkerId>,
    pub started_at: DateTime<Utc>,
    pub finished_at: DateTime<Utc>,
    pub duration_us: Option<i64>,
    pub source_size: i64,
    /// Of the best quality that it encoded; none for a sound alone.
    pub height: Option<i32>,
}

/// The newest ones.
pub async fn done(db: &Db, limit: i64) -> sqlx::Result<Vec<DoneJob>> {
    const SQL: &str = "SELECT j.processed_by_worker_id AS worker_id, j.attempt_started_at AS started_at, \
         j.finished_at, v.duration_us, v.source_size, (SELECT max(q.height) FROM quality q \
             WHERE q.video_id = j.video_id AND q.generation = j.generation AND q.kind = 'video' \
             AND q.status = 'completed' AND q.carried_from IS NULL) AS height \
         FROM job j JOIN video v ON v.id = j.video_id \
         WHERE j.finished_at IS NOT NULL AND j.status = 'completed' AND j.queue_type = 'transcode' \
         AND j.attempt_number = 1 AND j.attempt_started_at IS NOT NULL ORDER BY j.finished_at DESC LIMIT $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(limit).fetch_all(pool).await)
}

/// What is known of a job's source; little before somebody has looked into it.
#[derive(Clone, Debug, FromRow)]
pub struct SourceFacts {
    pub duration_us: Option<i64>,
    pub width: Option<i32>,
    pub height: Option<i32>,
    pub source_size: i64,
}

/// A waiting job that may be taken.
#[derive(Clone, Debug, FromRow)]
pub struct DueJob {
    pub id: JobId,
    #[sqlx(flatten)]
    pub source: SourceFacts,
}

/// In the order in which they are claimed.
pub async fn due(db: &Db, kind: QueueType, limit: i64) -> sqlx::Result<Vec<DueJob>> {
    const SQL: &str = "SELECT j.id, v.duration_us, v.width, v.height, v.source_size \
         FROM job j JOIN video v ON v.id = j.video_id WHERE j.queue_type = $1 AND j.status = 'pending' \
         AND j.retry_after IS NULL AND v.deleted_at IS NULL ORDER BY j.priority DESC, j.sort_at, j.number LIMIT $2";
    sql!(db, |pool| sqlx::query_as(SQL).bind(kind).bind(limit).fetch_all(pool).await)
}

/// When the job was enqueued that waits longest of those that may be claimed. It looks at the first of each priority in
/// the claim's index, so the depth of the queue does not matter; a job that was moved to the front may hide an older one
/// of its priority.
pub async fn oldest_claimable(db: &Db, kind: QueueType) -> sqlx::Result<Option<DateTime<Utc>>> {
    sql!(db, |pool| sqlx::query_scalar(OLDEST_CLAIMABLE).bind(kind).fetch_one(pool).await)
}

pub const OLDEST_CLAIMABLE: &str = "WITH RECURSIVE level (priority) AS ( \
         SELECT * FROM (SELECT priority FROM job WHERE queue_type = $1 AND status = 'pending' \
             AND retry_after IS NULL ORDER BY queue_type, priority DESC LIMIT 1) first \
         UNION ALL SELECT (SELECT j.priority FROM job j WHERE j.queue_type = $1 AND j.status = 'pending' \
             AND j.retry_after IS NULL AND j.priority < level.priority ORDER BY j.queue_type, j.priority DESC LIMIT 1) \
             FROM level WHERE level.priority IS NOT NULL) \
         SELECT min(enqueued_at) FROM (SELECT (SELECT j.enqueued_at FROM job j WHERE j.queue_type = $1 \
             AND j.status = 'pending' AND j.retry_after IS NULL AND j.priority = level.priority \
             ORDER BY j.sort_at, j.number LIMIT 1) AS enqueued_at FROM level WHERE level.priority IS NOT NULL) heads";

/// A job at work.
#[derive(Clone, Debug, FromRow)]
pub struct RunningJob {
    pub worker_id: Option<WorkerId>,
    pub eta_seconds: Option<f64>,
    pub progress_percent: f64,
    pub attempt_started_at: Option<DateTime<Utc>>,
    #[sqlx(flatten)]
    pub source: SourceFacts,
}

pub async fn running(db: &Db, kind: QueueType) -> sqlx::Result<Vec<RunningJob>> {
    const SQL: &str = "SELECT j.worker_id, j.eta_seconds, j.progress_percent, j.attempt_started_at, \
         v.duration_us, v.width, v.height, v.source_size FROM job j JOIN video v ON v.id = j.video_id \
         WHERE j.queue_type = $1 AND j.status = 'running' ORDER BY j.number";
    sql!(db, |pool| sqlx::query_as(SQL).bind(kind).fetch_all(pool).await)
}

/// Jobs that ended in one span of time.
#[derive(Clone, Debug, FromRow)]
pub struct Ended {
    /// `2026-11-16T10` or `2026-11-16`.
    pub span: String,
    pub status: JobStatus,
    pub count: i64,
    pub video_us: i64,
}

/// By the hour or by the day, as long as the jobs are in the history.
pub async fn ended_since(db: &Db, since: DateTime<Utc>, by_day: bool) -> sqlx::Result<Vec<Ended>> {
    macro_rules! grouped {
        ($span:literal) => {
            concat!(
                "SELECT ",
                $span,
                " AS span, j.status, count(*) AS count, CAST(COALESCE(sum(v.duration_us), 0) AS bigint) AS video_us \
                 FROM job j JOIN video v ON v.id = j.video_id WHERE j.finished_at >= $1 GROUP BY 1, 2"
            )
        };
    }
    let text = match (db.engine(), by_day) {
        (Engine::Postgres(_), false) => {
            grouped!("to_char(j.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24')")
        }
        (Engine::Postgres(_), true) => grouped!("to_char(j.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"),
        (Engine::Sqlite(_), false) => grouped!("substr(j.finished_at, 1, 13)"),
        (Engine::Sqlite(_), true) => grouped!("substr(j.finished_at, 1, 10)"),
    };
    sql!(db, |pool| sqlx::query_as(text).bind(since).fetch_all(pool).await)
}
