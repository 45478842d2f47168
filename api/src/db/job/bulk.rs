//! Changes of many jobs at once: one statement for a batch, with the guard of the single change in it.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use crate::db::effects::{Claimable, JobChange};
use crate::db::job::Retranscode;
use crate::db::job::lists::{JobFilter, push_filter};
use crate::db::{Db, Engine, Tx, push_list, sql};

/// How many jobs of these statuses the filter means.
pub async fn count(db: &Db, filter: &JobFilter, statuses: &[JobStatus]) -> sqlx::Result<i64> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT count(*) FROM job WHERE status IN (");
        push_list!(query, statuses);
        query.push(")");
        push_filter!(query, filter);
        query.build_query_scalar().fetch_one(pool).await
    })
}

/// The same for waiting jobs with or without this priority.
pub async fn count_pending(db: &Db, filter: &JobFilter, priority: i32, has_it: bool) -> sqlx::Result<i64> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT count(*) FROM job WHERE status = 'pending' AND priority ");
        query.push(if has_it { "= " } else { "<> " }).push_bind(priority);
        push_filter!(query, filter);
        query.build_query_scalar().fetch_one(pool).await
    })
}

/// What an id stands for.
#[derive(Clone, Debug, FromRow)]
pub struct Named {
    pub id: JobId,
    pub number: i64,
    pub status: JobStatus,
}

/// Those of these ids that there are.
pub async fn named(db: &Db, ids: &[JobId]) -> sqlx::Result<Vec<Named>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT id, number, status FROM job WHERE id IN (");
        push_list!(query, ids);
        query.push(")");
        query.build_query_as().fetch_all(pool).await
    })
}

/// Failed and cancelled jobs before the number `before`, the newest first, held to the end of the transaction. Their
/// numbers.
pub async fn hold_ended(tx: &mut Tx, filter: &JobFilter, before: i64, limit: i64) -> sqlx::Result<Vec<i64>> {
    macro_rules! run {
        ($conn:expr, $lock:literal) => {{
            let mut query =
                QueryBuilder::new("SELECT number FROM job WHERE status IN ('failed', 'cancelled')");
            query.push(" AND number < ").push_bind(before);
            push_filter!(query, filter);
            query.push(" ORDER BY number DESC LIMIT ").push_bind(limit).push($lock);
            query.build_query_scalar().fetch_all($conn).await
        }};
    }
    match tx.engine() {
        Engine::Postgres(conn) => run!(conn, " FOR UPDATE"),
        // The whole database is locked for writing already.
        Engine::Sqlite(conn) => run!(conn, ""),
    }
}

/// Holds the videos of these jobs, in a fixed order, to the end of the transaction.
pub async fn hold_videos(tx: &mut Tx, numbers: &[i64]) -> sqlx::Result<()> {
    match tx.engine() {
        Engine::Postgres(conn) if !numbers.is_empty() => {
            let mut query = QueryBuilder::new(
                "SELECT 1 FROM video WHERE id IN (SELECT video_id FROM job WHERE number IN (",
            );
            push_list!(query, numbers);
            // Jobs may be added to them meanwhile.
            query.push(")) ORDER BY id FOR NO KEY UPDATE").build().execute(conn).await.map(drop)
        }
        Engine::Postgres(_) | Engine::Sqlite(_) => Ok(()),
    }
}

/// What decides whether a job can go back.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a reason of its own, and they are told in this order"
)]
#[derive(Clone, Debug, FromRow)]
pub struct Candidate {
    pub number: i64,
    pub id: JobId,
    pub video_id: VideoId,
    pub queue_type: QueueType,
    pub identity: String,
    /// A live job does the same work, or other work of its kind on the same video.
    pub has_twin: bool,
    pub video_is_deleted: bool,
    /// The original was removed; there is nothing to encode.
    pub source_is_gone: bool,
    /// The cleaner took the generation that it worked on, or a newer one plays.
    pub needs_generation: bool,
}

/// The newest first. To be asked once the jobs and videos are held, in a statement of its own: one that waited for a lock
/// sees the rest of the database as it was before.
pub async fn candidates(tx: &mut Tx, numbers: &[i64]) -> sqlx::Result<Vec<Candidate>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new(
            "SELECT j.number, j.id, j.video_id, j.queue_type, j.identity, \
             v.deleted_at IS NOT NULL AS video_is_deleted, v.source_deleted_at IS NOT NULL AS source_is_gone, \
             EXISTS (SELECT 1 FROM job o WHERE o.identity = j.identity AND o.queue_type = j.queue_type \
             AND o.status IN ('pending', 'running')) \
             OR EXISTS (SELECT 1 FROM job o WHERE o.video_id = j.video_id AND o.queue_type = j.queue_type \
             AND o.status IN ('pending', 'running')) AS has_twin, \
             j.generation <= v.generation \
             OR NOT EXISTS (SELECT 1 FROM generation g WHERE g.video_id = j.video_id AND g.number = j.generation) \
             AS needs_generation \
             FROM job j JOIN video v ON v.id = j.video_id WHERE j.number IN (",
        );
        push_list!(query, numbers);
        query.push(") ORDER BY j.number DESC").build_query_as().fetch_all(conn).await
    })
}

/// [`retry_if_ended`](crate::db::job::retry_if_ended) for many. Fails as a whole if one of them meets a live job of its
/// identity. Returns how many went back.
pub async fn retry_all_if_ended(tx: &mut Tx, numbers: &[i64], now: DateTime<Utc>) -> sqlx::Result<u64> {
    if numbers.is_empty() {
        return Ok(0);
    }
    let back: Vec<(QueueType, i32)> = sql!(tx, |conn| {
        let mut query = QueryBuilder::new(
            "UPDATE job SET status = 'pending', error = NULL, error_class = NULL, started_at = NULL, \
             finished_at = NULL, retry_after = NULL, failure_count = 0, lost_count = 0, encoder_failures = 0, \
             progress_percent = 0, current_step = NULL, requeue_count = requeue_count + 1, claimable_at = ",
        );
        query.push_bind(now).push(" WHERE status IN ('failed', 'cancelled') AND number IN (");
        push_list!(query, numbers);
        query.push(") RETURNING queue_type, priority").build_query_as().fetch_all(conn).await
    })?;
    tx.claimable(back.iter().map(|(queue, priority)| Claimable { queue: *queue, priority: *priority }));
    for (queue, _) in &back {
        tx.note(JobChange::Enqueued { queue: *queue, reason: "requeued" });
    }
    Ok(back.len() as u64)
}

/// The videos of these jobs wait again, if they failed.
pub async fn wait_all_if_failed(tx: &mut Tx, numbers: &[i64]) -> sqlx::Result<u64> {
    if numbers.is_empty() {
        return Ok(0);
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new(
            "UPDATE video SET status = 'pending', error_message = NULL, cancelled = false WHERE deleted_at IS NULL \
             AND status = 'failed' AND id IN (SELECT video_id FROM job WHERE number IN (",
        );
        push_list!(query, numbers);
        query.push("))").build().execute(conn).await.map(|done| done.rows_affected())
    })
}

/// A new generation for the video of each of these waiting jobs, in videos that play as a re-transcode; no two may
/// belong to one video.
pub async fn begin_generations(
    tx: &mut Tx,
    numbers: &[i64],
    retranscode: &Retranscode,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    sql!(tx, |conn| {
        let mut reserve = QueryBuilder::new(
            "UPDATE video SET last_generation = last_generation + 1 WHERE deleted_at IS NULL \
             AND id IN (SELECT video_id FROM job WHERE number IN (",
        );
        push_list!(reserve, numbers);
        reserve.push("))").build().execute(&mut *conn).await?;
        let mut insert = QueryBuilder::new(
            "INSERT INTO generation (video_id, number, created_at) SELECT id, last_generation, ",
        );
        insert.push_bind(now).push(" FROM video WHERE id IN (SELECT video_id FROM job WHERE number IN (");
        push_list!(insert, numbers);
        insert.push("))").build().execute(&mut *conn).await?;
        let mut take = QueryBuilder::new(
            "UPDATE job SET generation = (SELECT last_generation FROM video v WHERE v.id = job.video_id), \
             retranscode = CASE WHEN (SELECT status FROM video v WHERE v.id = job.video_id) = 'ready' THEN ",
        );
        take.push_bind(Json(retranscode));
        take.push(" ELSE NULL END WHERE status = 'pending' AND number IN (");
        push_list!(take, numbers);
        take.push(")").build().execute(conn).await.map(drop)
    })
}

/// Gives waiting jobs that the filter means another priority, at most `limit` of them. Returns their numbers; none if
/// all have it.
pub async fn set_priority_if_pending(
    tx: &mut Tx,
    filter: &JobFilter,
    priority: i32,
    limit: i64,
) -> sqlx::Result<Vec<i64>> {
    macro_rules! run {
        ($conn:expr, $lock:literal) => {{
            let mut query = QueryBuilder::new(
                "WITH chosen AS MATERIALIZED (SELECT number FROM job WHERE status = 'pending' AND priority <> ",
            );
            query.push_bind(priority);
            push_filter!(query, filter);
            query.push(" ORDER BY number LIMIT ").push_bind(limit).push($lock);
            query.push(") UPDATE job SET priority = ").push_bind(priority);
            query.push(" WHERE status = 'pending' AND number IN (SELECT number FROM chosen) RETURNING number");
            query.build_query_scalar().fetch_all($conn).await
        }};
    }
    // In a fixed order, so that two of these wait for each other instead of meeting halfway.
    match tx.engine() {
        Engine::Postgres(conn) => run!(conn, " FOR UPDATE"),
        Engine::Sqlite(conn) => run!(conn, ""),
    }
}
