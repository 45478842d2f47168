//! Lists, counts and bulk changes of jobs.

use chrono::{DateTime, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{CollectionId, JobId, VideoId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use sqlx::QueryBuilder;
use sqlx_macros::FromRow;

use crate::db::job::JobRow;
use crate::db::{Db, Tx, sql};

/// Which jobs a list or a bulk change means.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    pub status: Option<JobStatus>,
    pub queue_type: Option<QueueType>,
    pub collection: Option<CollectionId>,
    /// Waiting or running.
    pub active: bool,
    /// Who holds it or did it last.
    pub worker: Option<WorkerId>,
    pub video: Option<VideoId>,
    /// Part of the video's title, in any case.
    pub search: Option<String>,
    pub error_class: Option<ErrorClass>,
    /// These alone; not more at once than a statement takes values.
    pub ids: Option<Vec<JobId>>,
}

/// Appends the filter to a statement that already has a WHERE.
macro_rules! push_filter {
    ($query:expr, $filter:expr) => {
        if let Some(status) = $filter.status {
            $query.push(" AND status = ").push_bind(status);
        }
        if let Some(queue_type) = $filter.queue_type {
            $query.push(" AND queue_type = ").push_bind(queue_type);
        }
        if let Some(collection) = $filter.collection {
            $query.push(" AND collection_id = ").push_bind(collection);
        }
        if $filter.active {
            $query.push(" AND status IN ('pending', 'running')");
        }
        if let Some(worker) = $filter.worker {
            $query.push(" AND processed_by_worker_id = ").push_bind(worker);
        }
        if let Some(video) = $filter.video {
            $query.push(" AND video_id = ").push_bind(video);
        }
        if let Some(search) = &$filter.search {
            $query.push(" AND video_id IN (SELECT id FROM video WHERE search_title LIKE ");
            $query.push_bind($crate::db::videos::title_pattern(search)).push(" ESCAPE '\\')");
        }
        if let Some(class) = $filter.error_class {
            $query.push(" AND error_class = ").push_bind(class);
        }
        if let Some(ids) = &$filter.ids {
            $query.push(" AND id IN (");
            $crate::db::push_list!($query, ids);
            $query.push(")");
        }
    };
}
pub(in crate::db) use push_filter;

/// Newest first; `before` is the number of the last job of the page before.
pub async fn list(db: &Db, filter: &JobFilter, before: Option<i64>, limit: i64) -> sqlx::Result<Vec<JobRow>> {
    sql!(db.searching(), |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM job WHERE number < ");
        query.push_bind(before.unwrap_or(i64::MAX));
        push_filter!(query, filter);
        query.push(" ORDER BY number DESC LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(pool).await
    })
}

#[derive(Clone, Debug, FromRow)]
pub struct StatusCount {
    pub queue_type: QueueType,
    pub status: JobStatus,
    pub count: i64,
}

#[derive(Clone, Debug, FromRow)]
pub struct CollectionCount {
    pub collection_id: Option<CollectionId>,
    #[sqlx(flatten)]
    pub counted: StatusCount,
}

/// Jobs by kind and status; an index-only scan.
pub async fn counts(db: &Db, filter: &JobFilter) -> sqlx::Result<Vec<StatusCount>> {
    sql!(db.searching(), |pool| {
        let mut query =
            QueryBuilder::new("SELECT queue_type, status, count(*) AS count FROM job WHERE 1 = 1");
        push_filter!(query, filter);
        query.push(" GROUP BY queue_type, status");
        query.build_query_as().fetch_all(pool).await
    })
}

/// When the job that waits longest was enqueued.
pub async fn oldest_pending(db: &Db) -> sqlx::Result<Option<DateTime<Utc>>> {
    const SQL: &str = "SELECT min(enqueued_at) FROM job WHERE status = 'pending'";
    sql!(db, |pool| sqlx::query_scalar(SQL).fetch_one(pool).await)
}

/// Jobs by collection, kind and status.
pub async fn counts_by_collection(db: &Db) -> sqlx::Result<Vec<CollectionCount>> {
    const SQL: &str = "SELECT collection_id, queue_type, status, count(*) AS count FROM job \
         GROUP BY collection_id, queue_type, status ORDER BY collection_id, queue_type, status";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

/// What has been running since `instant` or longer, the longest first.
pub async fn running_since(db: &Db, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<JobRow>> {
    const SQL: &str = "SELECT * FROM job WHERE status = 'running' AND claimed_at <= $1 \
         ORDER BY claimed_at, number LIMIT $2";
    sql!(db, |pool| sqlx::query_as(SQL).bind(instant).bind(limit).fetch_all(pool).await)
}

/// Removes ended jobs in one batch and adds them to the totals that outlive them. Returns how many.
pub async fn delete_ended(
    tx: &mut Tx,
    filter: &JobFilter,
    finished_by: Option<DateTime<Utc>>,
    limit: i64,
) -> sqlx::Result<u64> {
    let gone: Vec<Ended> = sql!(tx, |conn| {
        let mut query = QueryBuilder::new(
            "DELETE FROM job WHERE number IN (SELECT number FROM job WHERE finished_at IS NOT NULL",
        );
        push_filter!(query, filter);
        if let Some(instant) = finished_by {
            query.push(" AND finished_at <= ").push_bind(instant);
        }
        query.push(" ORDER BY number LIMIT ").push_bind(limit);
        query.push(") AND finished_at IS NOT NULL RETURNING finished_at, queue_type, status");
        query.build_query_as().fetch_all(conn).await
    })?;
    add_to_totals(tx, &gone).await?;
    Ok(gone.len() as u64)
}

/// When, what and how a job ended.
pub(in crate::db) type Ended = (DateTime<Utc>, QueueType, JobStatus);

/// Counts removed jobs by the day of their end.
pub(in crate::db) async fn add_to_totals(tx: &mut Tx, gone: &[Ended]) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO job_total (day, queue_type, status, count) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (day, queue_type, status) DO UPDATE SET count = job_total.count + excluded.count";
    let mut totals = std::collections::BTreeMap::<_, i64>::new();
    for (finished_at, queue_type, status) in gone {
        *totals.entry((finished_at.format("%Y-%m-%d").to_string(), *queue_type, *status)).or_default() += 1;
    }
    for ((day, queue_type, status), count) in totals {
        sql!(tx, |conn| sqlx::query(SQL)
            .bind(day)
            .bind(queue_type)
            .bind(status)
            .bind(count)
            .execute(conn)
            .await
            .map(drop))?;
    }
    Ok(())
}

/// Finished jobs that were removed, by outcome.
pub async fn removed_totals(db: &Db) -> sqlx::Result<Vec<StatusCount>> {
    const SQL: &str = "SELECT queue_type, status, CAST(sum(count) AS bigint) AS count FROM job_total \
         GROUP BY queue_type, status ORDER BY queue_type, status";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}
