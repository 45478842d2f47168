//! Table `event`: what happened, append-only.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::wire::event::{EventData, EventKind};
use serde_json::Value;
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::job::JobRow;
use super::{Db, Engine, Tx, push_list, sql, videos};

/// One thing that happened, ready to be written with the change it tells of.
#[derive(Clone, Debug)]
pub struct Event {
    pub kind: EventKind,
    pub video_id: Option<VideoId>,
    pub job_id: Option<JobId>,
    pub worker_id: Option<WorkerId>,
    pub actor: String,
    pub reason: Option<String>,
    pub data: Option<Value>,
}

impl Event {
    pub fn new(kind: EventKind, actor: &str) -> Self {
        let actor = actor.to_owned();
        Self { kind, video_id: None, job_id: None, worker_id: None, actor, reason: None, data: None }
    }

    pub fn of_job(kind: EventKind, actor: &str, job: &JobRow) -> Self {
        let data =
            serde_json::json!({ "fence": job.fence, "attempt": job.attempt_number, "status": job.status });
        let (video_id, job_id, worker_id) = (Some(job.video_id), Some(job.id), job.worker_id);
        Self { video_id, job_id, worker_id, data: Some(data), ..Self::new(kind, actor) }
    }

    pub fn of_video(kind: EventKind, actor: &str, video: VideoId) -> Self {
        Self { video_id: Some(video), ..Self::new(kind, actor) }
    }

    pub fn of_worker(kind: EventKind, actor: &str, worker: WorkerId) -> Self {
        Self { worker_id: Some(worker), ..Self::new(kind, actor) }
    }

    /// Something that a worker did itself.
    pub fn by_worker_itself(kind: EventKind, name: &str, worker: WorkerId) -> Self {
        Self::of_worker(kind, &worker_actor(name), worker)
    }

    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    pub fn by_worker(mut self, worker: WorkerId) -> Self {
        self.worker_id = Some(worker);
        self
    }

    pub fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Beside what it says already.
    pub fn and(mut self, data: EventData) -> Self {
        if let Ok(Value::Object(new)) = serde_json::to_value(data) {
            match &mut self.data {
                Some(Value::Object(known)) => known.extend(new),
                data => *data = Some(Value::Object(new)),
            }
        }
        self
    }
}

/// Workers choose their names: the prefix keeps them apart from every other actor.
pub fn worker_actor(name: &str) -> String {
    format!("worker:{name}")
}

#[derive(Clone, Debug, FromRow)]
pub struct EventRow {
    pub id: i64,
    pub at: DateTime<Utc>,
    pub kind: EventKind,
    pub video_id: Option<VideoId>,
    pub job_id: Option<JobId>,
    pub worker_id: Option<WorkerId>,
    pub actor: String,
    pub reason: Option<String>,
    pub data: Option<Json<Value>>,
}

pub async fn append(tx: &mut Tx, event: Event, now: DateTime<Utc>) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO event (at, kind, video_id, job_id, worker_id, actor, reason, data) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    tx.has_events = true;
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(now)
        .bind(event.kind)
        .bind(event.video_id)
        .bind(event.job_id)
        .bind(event.worker_id)
        .bind(event.actor)
        .bind(event.reason)
        .bind(event.data.map(Json))
        .execute(conn)
        .await
        .map(drop))
}

/// One event for each of these jobs, as [`Event::of_job`] would be; they all say the same.
pub async fn append_of_jobs(
    tx: &mut Tx,
    event: Event,
    numbers: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    macro_rules! insert {
        ($conn:expr, $object:literal) => {{
            let mut query = QueryBuilder::new(
                "INSERT INTO event (at, kind, video_id, job_id, worker_id, actor, reason, data) SELECT ",
            );
            query.push_bind(now).push(", ").push_bind(event.kind).push(", video_id, id, worker_id, ");
            query.push_bind(event.actor).push(", ").push_bind(event.reason).push(", ");
            query.push($object).push("('fence', fence, 'attempt', attempt_number, 'status', status)");
            query.push(" FROM job WHERE number IN (");
            push_list!(query, numbers);
            query.push(") ORDER BY number").build().execute($conn).await.map(drop)
        }};
    }
    if numbers.is_empty() {
        return Ok(());
    }
    tx.has_events = true;
    // Each has its own name for the same function.
    match tx.engine() {
        Engine::Postgres(conn) => insert!(conn, "jsonb_build_object"),
        Engine::Sqlite(conn) => insert!(conn, "json_object"),
    }
}

/// Oldest first; of a job with a very long story the newest thousand.
pub async fn of_job(db: &Db, job: JobId) -> sqlx::Result<Vec<EventRow>> {
    const SQL: &str =
        "SELECT * FROM (SELECT * FROM event WHERE job_id = $1 ORDER BY id DESC LIMIT 1000) newest
        ORDER BY id";
    sql!(db, |pool| sqlx::query_as(SQL).bind(job).fetch_all(pool).await)
}

/// How a job came into the queue the last time.
pub async fn entrance(tx: &mut Tx, job: JobId) -> sqlx::Result<Option<EventRow>> {
    const SQL: &str = "SELECT * FROM event WHERE job_id = $1 \
         AND kind IN ('job_enqueued', 'job_imported', 'job_requeued') ORDER BY id DESC LIMIT 1";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(job).fetch_optional(conn).await)
}

/// Which events a list means; all of them by default.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    pub kind: Option<EventKind>,
    /// Kinds that are left out.
    pub without: &'static [EventKind],
    /// Exactly as it is stored: `admin`, `token:<name>`, `worker:<name>`, `worker`, `anonymous` or `farm`.
    pub actor: Option<String>,
    /// Only what people did or tried, at the page or with a token.
    pub by_people: bool,
    /// Each is part of the kind, of the reason or of a name: who did it, the worker's, the video's title.
    pub words: Vec<String>,
}

/// Where a word may stand, and what closes the question.
const PLACES_OF_WORDS: [(&str, &str); 5] = [
    ("kind", ""),
    ("lower(reason)", ""),
    ("lower(actor)", ""),
    ("worker_id IN (SELECT id FROM worker WHERE lower(name)", ")"),
    ("video_id IN (SELECT id FROM video WHERE search_title", ")"),
];

/// Newest first; `before` is the id of the last event of the page before.
pub async fn list(db: &Db, before: Option<i64>, limit: i64) -> sqlx::Result<Vec<EventRow>> {
    list_matching(db, &EventFilter::default(), before, limit).await
}

/// The same of those that match.
pub async fn list_matching(
    db: &Db,
    filter: &EventFilter,
    before: Option<i64>,
    limit: i64,
) -> sqlx::Result<Vec<EventRow>> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM event WHERE id < ");
        query.push_bind(before.unwrap_or(i64::MAX));
        if let Some(kind) = filter.kind {
            query.push(" AND kind = ").push_bind(kind);
        }
        if !filter.without.is_empty() {
            query.push(" AND kind NOT IN (");
            push_list!(query, filter.without);
            query.push(")");
        }
        if let Some(actor) = &filter.actor {
            query.push(" AND actor = ").push_bind(actor);
        }
        if filter.by_people {
            query.push(" AND (actor IN ('admin', 'anonymous') OR actor LIKE 'token:%')");
        }
        let by_worker = filter.actor.as_ref().is_some_and(|actor| actor.starts_with("worker"));
        if filter.by_people || (filter.actor.is_some() && !by_worker) {
            query.push(" AND kind NOT IN (");
            push_list!(query, EventKind::OF_WORKERS);
            query.push(")");
        }
        for word in &filter.words {
            query.push(" AND (1 = 0");
            for (place, end) in PLACES_OF_WORDS {
                query.push(" OR ").push(place).push(" LIKE ");
                query.push_bind(videos::title_pattern(word)).push(" ESCAPE '\\'").push(end);
            }
            query.push(")");
        }
        query.push(" ORDER BY id DESC LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(pool).await
    })
}

/// Oldest first: what was appended after the event `after`.
pub async fn after(db: &Db, after: i64, limit: i64) -> sqlx::Result<Vec<EventRow>> {
    const SQL: &str = "SELECT * FROM event WHERE id > $1 ORDER BY id LIMIT $2";
    sql!(db, |pool| sqlx::query_as(SQL).bind(after).bind(limit).fetch_all(pool).await)
}

/// The oldest and the newest id there is.
pub async fn range(db: &Db) -> sqlx::Result<Option<(i64, i64)>> {
    const SQL: &str = "SELECT min(id), max(id) FROM event";
    let (oldest, newest): (Option<i64>, Option<i64>) =
        sql!(db, |pool| sqlx::query_as(SQL).fetch_one(pool).await)?;
    Ok(oldest.zip(newest))
}

/// The oldest transaction that runs. `None` where transactions come one after the other, and no id is ever late.
pub async fn first_running(db: &Db) -> sqlx::Result<Option<i64>> {
    const SQL: &str = "SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)";
    match db.engine() {
        Engine::Postgres(pool) => sqlx::query_scalar(SQL).fetch_one(pool).await.map(Some),
        Engine::Sqlite(_) => Ok(None),
    }
}

/// Later than every transaction that has begun to write. It uses up a number, so it is not for every day.
pub async fn next_transaction(db: &Db) -> sqlx::Result<Option<i64>> {
    const SQL: &str = "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)";
    match db.engine() {
        Engine::Postgres(pool) => sqlx::query_scalar(SQL).fetch_one(pool).await.map(Some),
        Engine::Sqlite(_) => Ok(None),
    }
}

pub async fn count_before(db: &Db, instant: DateTime<Utc>) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT count(*) FROM event WHERE at < $1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(instant).fetch_one(pool).await)
}

/// Whether there is an event of this number.
pub async fn is_known(db: &Db, id: i64) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM event WHERE id = $1";
    let found: i64 = sql!(db, |pool| sqlx::query_scalar(SQL).bind(id).fetch_one(pool).await)?;
    Ok(found == 1)
}

/// Removes events older than `instant` in one batch. Returns how many.
pub async fn delete_before(tx: &mut Tx, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<u64> {
    const SQL: &str =
        "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE at < $1 ORDER BY id LIMIT $2)";
    sql!(tx, |conn| sqlx::query(SQL).bind(instant).bind(limit).execute(conn).await.map(|d| d.rows_affected()))
}
