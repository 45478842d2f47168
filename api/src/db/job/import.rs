//! Whole rows on their way out of one database and into another.
//!
//! SQLite takes rows as they are. PostgreSQL takes them as one document: it reads a statement with thirty thousand values
//! longer than it writes the rows.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::state::{JobStatus, VideoStatus};
use serde::Serialize;
use sqlx::QueryBuilder;
use sqlx_macros::FromRow;

use crate::db::effects::{Claimable, JobChange};
use crate::db::job::JobRow;
use crate::db::job::attempts::AttemptRow;
use crate::db::videos::{VideoRow, folded};
use crate::db::{Engine, Tx, push_list, sql};

/// Videos with jobs, by id, after `after`; no deleted ones.
pub async fn videos_page(tx: &mut Tx, after: VideoId, limit: i64) -> sqlx::Result<Vec<VideoRow>> {
    const SQL: &str = "SELECT * FROM video v WHERE v.id > $1 AND v.deleted_at IS NULL \
         AND EXISTS (SELECT 1 FROM job j WHERE j.video_id = v.id) ORDER BY v.id LIMIT $2";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(after).bind(limit).fetch_all(conn).await)
}

/// Jobs of these statuses by number, after `after`; none of deleted videos.
pub async fn jobs_page(
    tx: &mut Tx,
    statuses: &[JobStatus],
    after: i64,
    limit: i64,
) -> sqlx::Result<Vec<JobRow>> {
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("SELECT j.* FROM job j JOIN video v ON v.id = j.video_id ");
        query.push("WHERE v.deleted_at IS NULL AND j.number > ").push_bind(after).push(" AND j.status IN (");
        push_list!(query, statuses);
        query.push(") ORDER BY j.number LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(conn).await
    })
}

/// The attempts of these jobs, the oldest first.
pub async fn attempts_of(tx: &mut Tx, jobs: &[JobId]) -> sqlx::Result<Vec<AttemptRow>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("SELECT * FROM attempt WHERE job_id IN (");
        push_list!(query, jobs);
        query.push(") ORDER BY job_id, fence").build_query_as().fetch_all(conn).await
    })
}

/// Those of these jobs that there are.
pub async fn known_jobs(tx: &mut Tx, ids: &[JobId]) -> sqlx::Result<Vec<JobId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("SELECT id FROM job WHERE id IN (");
        push_list!(query, ids);
        query.push(")").build_query_scalar().fetch_all(conn).await
    })
}

/// Those of these numbers that a job has.
pub async fn taken_numbers(tx: &mut Tx, numbers: &[i64]) -> sqlx::Result<Vec<i64>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("SELECT number FROM job WHERE number IN (");
        push_list!(query, numbers);
        query.push(")").build_query_scalar().fetch_all(conn).await
    })
}

#[derive(Clone, Copy, Debug, FromRow)]
pub struct KnownVideo {
    pub id: VideoId,
    pub status: VideoStatus,
    pub is_deleted: bool,
}

/// Those of these videos that there are.
pub async fn known_videos(tx: &mut Tx, ids: &[VideoId]) -> sqlx::Result<Vec<KnownVideo>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new(
            "SELECT id, status, deleted_at IS NOT NULL AS is_deleted FROM video WHERE id IN (",
        );
        push_list!(query, ids);
        query.push(")").build_query_as().fetch_all(conn).await
    })
}

/// As text: the binary form of PostgreSQL's documents takes twice as long to write and to read.
fn document<T: Serialize>(rows: &[T]) -> sqlx::Result<String> {
    serde_json::to_string(rows).map_err(|error| sqlx::Error::Encode(error.into()))
}

macro_rules! video_columns {
    () => {
        "id, slug, title, search_title, collection_id, status, source_name, source_size, source_sha256, identity, \
         wanted, generation, last_generation, duration_us, width, height, renditions, error_message, cancelled, \
         created_at, ready_at, source_deleted_at"
    };
}

/// Adds these videos as they are, other than one whose id or slug is taken. Returns those that were added.
pub async fn insert_videos_unless_taken(tx: &mut Tx, rows: &[VideoRow]) -> sqlx::Result<Vec<VideoId>> {
    #[derive(Serialize)]
    struct Whole<'a> {
        #[serde(flatten)]
        row: &'a VideoRow,
        search_title: String,
    }
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    match tx.engine() {
        Engine::Postgres(conn) => {
            const SQL: &str = concat!(
                "INSERT INTO video (",
                video_columns!(),
                ") SELECT ",
                video_columns!(),
                " FROM json_populate_recordset(NULL::video, $1::json) ON CONFLICT DO NOTHING RETURNING id"
            );
            let whole = |row| Whole { row, search_title: folded(&row.title) };
            let rows = document(&rows.iter().map(whole).collect::<Vec<_>>())?;
            sqlx::query_scalar(SQL).bind(rows).fetch_all(conn).await
        }
        Engine::Sqlite(conn) => {
            let mut query = QueryBuilder::new(concat!("INSERT INTO video (", video_columns!(), ") "));
            query.push_values(rows, |mut values, row| {
                values
                    .push_bind(row.id)
                    .push_bind(&row.slug)
                    .push_bind(&row.title)
                    .push_bind(folded(&row.title))
                    .push_bind(row.collection_id)
                    .push_bind(row.status)
                    .push_bind(&row.source_name)
                    .push_bind(row.source_size)
                    .push_bind(&row.source_sha256)
                    .push_bind(&row.identity)
                    .push_bind(&row.wanted)
                    .push_bind(row.generation)
                    .push_bind(row.last_generation)
                    .push_bind(row.duration_us)
                    .push_bind(row.width)
                    .push_bind(row.height)
                    .push_bind(&row.renditions)
                    .push_bind(&row.error_message)
                    .push_bind(row.cancelled)
                    .push_bind(row.created_at)
                    .push_bind(row.ready_at)
                    .push_bind(row.source_deleted_at);
            });
            query.push(" ON CONFLICT DO NOTHING RETURNING id").build_query_scalar().fetch_all(conn).await
        }
    }
}

/// Generations without a plan, other than those that there are.
pub async fn insert_generations_unless_known(
    tx: &mut Tx,
    rows: &[(VideoId, i32)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("INSERT INTO generation (video_id, number, created_at) ");
        query.push_values(rows, |mut values, (video, number)| {
            values.push_bind(*video).push_bind(*number).push_bind(now);
        });
        query.push(" ON CONFLICT DO NOTHING").build().execute(conn).await.map(drop)
    })
}

/// The highest number that was ever given to a job.
pub async fn last_number(tx: &mut Tx) -> sqlx::Result<i64> {
    match tx.engine() {
        Engine::Postgres(conn) => {
            const SQL: &str = "SELECT COALESCE(pg_sequence_last_value(pg_get_serial_sequence('job', 'number')::regclass), 0)";
            sqlx::query_scalar(SQL).fetch_one(conn).await
        }
        Engine::Sqlite(conn) => {
            const SQL: &str = "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'job'), 0)";
            sqlx::query_scalar(SQL).fetch_one(conn).await
        }
    }
}

/// No new job gets a number up to this one, of which `last` is the highest given so far.
pub async fn reserve_numbers(tx: &mut Tx, last: i64, up_to: i64) -> sqlx::Result<()> {
    match tx.engine() {
        // Drawn one by one: set to a value, the sequence could go back behind one that somebody has just drawn.
        Engine::Postgres(conn) if up_to > last => {
            const SQL: &str = "SELECT count(nextval(pg_get_serial_sequence('job', 'number')::regclass)) \
                 FROM generate_series(1, $1)";
            sqlx::query(SQL).bind(up_to - last).execute(conn).await.map(drop)
        }
        // SQLite goes on behind the highest by itself.
        Engine::Postgres(_) | Engine::Sqlite(_) => Ok(()),
    }
}

const JOB_COLUMNS: &str = "id, video_id, collection_id, queue_type, identity, status, priority, sort_at, enqueued_at, \
     claimable_at, retry_after, generation, retranscode, fence, attempt_number, attempt_started_at, failure_count, \
     lost_count, max_attempts, max_lost, requeue_count, encoder_failures, current_step, progress_percent, started_at, \
     finished_at, error, error_class, results, processed_by_worker_id, processed_by_worker_name, gpu_needs";

/// The values of [`JOB_COLUMNS`].
macro_rules! push_job {
    ($values:ident, $row:ident) => {
        $values
            .push_bind($row.id)
            .push_bind($row.video_id)
            .push_bind($row.collection_id)
            .push_bind($row.queue_type)
            .push_bind(&$row.identity)
            .push_bind($row.status)
            .push_bind($row.priority)
            .push_bind($row.sort_at)
            .push_bind($row.enqueued_at)
            .push_bind($row.claimable_at)
            .push_bind($row.retry_after)
            .push_bind($row.generation)
            .push_bind(&$row.retranscode)
            .push_bind($row.fence)
            .push_bind($row.attempt_number)
            .push_bind($row.attempt_started_at)
            .push_bind($row.failure_count)
            .push_bind($row.lost_count)
            .push_bind($row.max_attempts)
            .push_bind($row.max_lost)
            .push_bind($row.requeue_count)
            .push_bind($row.encoder_failures)
            .push_bind($row.current_step)
            .push_bind($row.progress_percent)
            .push_bind($row.started_at)
            .push_bind($row.finished_at)
            .push_bind(&$row.error)
            .push_bind($row.error_class)
            .push_bind(&$row.results)
            .push_bind($row.processed_by_worker_id)
            .push_bind(&$row.processed_by_worker_name)
            .push_bind($row.gpu_needs);
    };
}

/// Adds these jobs as they are, under their own numbers or under new ones. One whose id or number is taken, or whose work
/// a live job does, is left out. Returns the ids and numbers of those that were added.
pub async fn insert_jobs_unless_taken(
    tx: &mut Tx,
    rows: &[JobRow],
    keep_numbers: bool,
) -> sqlx::Result<Vec<(JobId, i64)>> {
    const RETURNED: &str = " ON CONFLICT DO NOTHING RETURNING id, number";
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let number = if keep_numbers { "number, " } else { "" };
    let added: Vec<(JobId, i64)> = match tx.engine() {
        Engine::Postgres(conn) => {
            let mut query = QueryBuilder::new("INSERT INTO job (");
            query.push(number).push(JOB_COLUMNS).push(") ");
            // It wants to be told that a number of ours is meant.
            query.push(if keep_numbers { "OVERRIDING SYSTEM VALUE " } else { "" });
            query.push("SELECT ").push(number).push(JOB_COLUMNS);
            query
                .push(" FROM json_populate_recordset(NULL::job, ")
                .push_bind(document(rows)?)
                .push("::json)");
            query.push(RETURNED).build_query_as().fetch_all(conn).await
        }
        Engine::Sqlite(conn) => {
            let mut query = QueryBuilder::new("INSERT INTO job (");
            query.push(number).push(JOB_COLUMNS).push(") ");
            query.push_values(rows, |mut values, row| {
                if keep_numbers {
                    values.push_bind(row.number);
                }
                push_job!(values, row);
            });
            query.push(RETURNED).build_query_as().fetch_all(conn).await
        }
    }?;
    let ids: std::collections::HashSet<JobId> = added.iter().map(|(id, _)| *id).collect();
    let due = rows.iter().filter(|row| row.status == JobStatus::Pending && row.retry_after.is_none());
    let claimable: Vec<_> = due.filter(|row| ids.contains(&row.id)).map(Claimable::of).collect();
    tx.claimable(claimable.into_iter());
    for row in rows.iter().filter(|row| row.status == JobStatus::Pending && ids.contains(&row.id)) {
        tx.note(JobChange::Enqueued { queue: row.queue_type, reason: "imported" });
    }
    Ok(added)
}

/// Adds these attempts; a job has one for each fence.
pub async fn insert_attempts_unless_known(tx: &mut Tx, rows: &[AttemptRow]) -> sqlx::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new(
            "INSERT INTO attempt (job_id, fence, number, worker_id, worker_name, started_at, ended_at, outcome, \
             error_class, error, log) ",
        );
        query.push_values(rows, |mut values, row| {
            values
                .push_bind(row.job_id)
                .push_bind(row.fence)
                .push_bind(row.number)
                .push_bind(row.worker_id)
                .push_bind(&row.worker_name)
                .push_bind(row.started_at)
                .push_bind(row.ended_at)
                .push_bind(row.outcome)
                .push_bind(&row.error_class)
                .push_bind(&row.error)
                .push_bind(&row.log);
        });
        query.push(" ON CONFLICT DO NOTHING").build().execute(conn).await.map(drop)
    })
}
