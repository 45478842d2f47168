//! Table `job`: its row, how one is added and read. The moves are in `claim`, `renew` and `end`.

pub mod attempts;
pub mod bulk;
pub mod claim;
pub mod claim_at_once;
pub mod claim_context;
pub mod claim_effects;
pub mod end;
pub mod end_effects;
pub mod import;
pub mod lists;
pub mod loss;
pub mod outlook;
pub mod renew;
pub mod retention;

use chrono::{DateTime, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::gpu::Abilities;
use framefarm_shared::id::{CollectionId, JobId, VideoId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobFacts, JobState, JobStatus, Step};
use serde::{Deserialize, Serialize};
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use crate::db::effects::JobChange;
use crate::db::{Db, Tx, push_list, sql};

/// Options of a re-transcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Retranscode {
    pub retranscode_all: bool,
    /// Qualities to encode again; the others are carried over.
    pub qualities: Vec<String>,
    pub delete_captions: bool,
    /// Remove the old generation at claim instead of at completion.
    pub cleanup_on_claim: bool,
}

#[derive(Clone, Debug, FromRow, Serialize)]
pub struct JobRow {
    pub number: i64,
    pub id: JobId,
    pub video_id: VideoId,
    pub collection_id: Option<CollectionId>,
    pub queue_type: QueueType,
    pub identity: String,
    pub status: JobStatus,
    pub priority: i32,
    pub sort_at: DateTime<Utc>,
    pub enqueued_at: DateTime<Utc>,
    /// Since when it may be claimed (or will be).
    pub claimable_at: DateTime<Utc>,
    /// Not before this; NULL once due.
    pub retry_after: Option<DateTime<Utc>>,
    pub generation: i32,
    pub retranscode: Option<Json<Retranscode>>,
    pub fence: i64,
    pub worker_id: Option<WorkerId>,
    pub claimed_at: Option<DateTime<Utc>>,
    pub claim_expires_at: Option<DateTime<Utc>>,
    /// Claims granted and not handed back.
    pub attempt_number: i32,
    pub attempt_started_at: Option<DateTime<Utc>>,
    pub failure_count: i32,
    pub lost_count: i32,
    pub max_attempts: i32,
    pub max_lost: i32,
    pub requeue_count: i32,
    pub encoder_failures: i32,
    pub current_step: Option<Step>,
    pub progress_percent: f64,
    /// What its worker last told; only while it runs.
    pub eta_seconds: Option<f64>,
    /// Last accepted progress call.
    pub last_checkpoint: Option<DateTime<Utc>>,
    /// Last time something really moved.
    pub progressed_at: Option<DateTime<Utc>>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub error: Option<String>,
    pub error_class: Option<ErrorClass>,
    pub results: Option<Json<serde_json::Value>>,
    pub processed_by_worker_id: Option<WorkerId>,
    pub processed_by_worker_name: Option<String>,
    /// What its qualities need of a GPU, as bits; NULL until its source was probed.
    pub gpu_needs: Option<i32>,
    /// Since when its worker's heartbeats do not name it.
    pub absent_since: Option<DateTime<Utc>>,
}

impl JobRow {
    pub fn state(&self, now: DateTime<Utc>) -> JobState {
        let has_error = self.error.is_some() || self.lost_count > 0;
        let JobRow { status, claim_expires_at, retry_after, .. } = *self;
        JobFacts { status, claim_expires_at, retry_after, has_error }.state(now)
    }
}

pub struct NewJob {
    pub id: JobId,
    pub video_id: VideoId,
    pub collection_id: Option<CollectionId>,
    pub queue_type: QueueType,
    pub identity: String,
    pub priority: i32,
    pub generation: i32,
    pub retranscode: Option<Retranscode>,
    pub max_attempts: i32,
    pub max_lost: i32,
}

/// `None` if a live job of the same identity or video and of its kind is there already.
pub async fn insert_unless_live(
    tx: &mut Tx,
    new: NewJob,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = "INSERT INTO job (id, video_id, collection_id, queue_type, identity, priority, sort_at, \
         enqueued_at, claimable_at, generation, retranscode, max_attempts, max_lost) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8, $9, $10, $11) \
         ON CONFLICT DO NOTHING RETURNING *";
    let reason = if new.retranscode.is_some() { "retranscode" } else { "new" };
    let job: Option<JobRow> = sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(new.id)
        .bind(new.video_id)
        .bind(new.collection_id)
        .bind(new.queue_type)
        .bind(new.identity)
        .bind(new.priority)
        .bind(now)
        .bind(new.generation)
        .bind(new.retranscode.map(Json))
        .bind(new.max_attempts)
        .bind(new.max_lost)
        .fetch_optional(conn)
        .await)?;
    tx.claimable_if_due(job.as_ref());
    if let Some(job) = &job {
        tx.note(JobChange::Enqueued { queue: job.queue_type, reason });
    }
    Ok(job)
}

pub async fn get(db: &Db, id: JobId) -> sqlx::Result<Option<JobRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM job WHERE id = $1").bind(id).fetch_optional(pool).await)
}

/// A job by the number that people say aloud.
pub async fn by_number(db: &Db, number: i64) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = "SELECT * FROM job WHERE number = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(number).fetch_optional(pool).await)
}

/// Reads inside a transaction, after its guarded statement said no, to tell why.
pub async fn get_in(tx: &mut Tx, id: JobId) -> sqlx::Result<Option<JobRow>> {
    sql!(tx, |conn| sqlx::query_as("SELECT * FROM job WHERE id = $1").bind(id).fetch_optional(conn).await)
}

/// The waiting or running transcodes of these videos.
pub async fn live_transcodes(db: &Db, videos: &[VideoId]) -> sqlx::Result<Vec<JobRow>> {
    if videos.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM job WHERE video_id IN (");
        push_list!(query, videos);
        query.push(") AND status IN ('pending', 'running') AND queue_type = 'transcode' ORDER BY number");
        query.build_query_as().fetch_all(pool).await
    })
}

/// What is at work, oldest first.
pub async fn running(db: &Db) -> sqlx::Result<Vec<JobRow>> {
    const SQL: &str = "SELECT * FROM job WHERE status = 'running' ORDER BY number LIMIT 1000";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

/// Jobs by id, in no order.
pub async fn by_ids(db: &Db, ids: &[JobId]) -> sqlx::Result<Vec<JobRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM job WHERE id IN (");
        push_list!(query, ids);
        query.push(")");
        query.build_query_as().fetch_all(pool).await
    })
}

/// The live job of an identity, held to the end of the transaction: what is decided by it stays true so long.
pub async fn live_by_identity(tx: &mut Tx, identity: &str, kind: QueueType) -> sqlx::Result<Option<JobRow>> {
    macro_rules! live {
        ($lock:literal) => {
            concat!(
                "SELECT * FROM job WHERE identity = $1 AND queue_type = $2 \
                 AND status IN ('pending', 'running')",
                $lock
            )
        };
    }
    match tx.engine() {
        crate::db::Engine::Postgres(conn) => {
            let query = sqlx::query_as(live!(" FOR NO KEY UPDATE"));
            query.bind(identity).bind(kind).fetch_optional(conn).await
        }
        crate::db::Engine::Sqlite(conn) => {
            sqlx::query_as(live!("")).bind(identity).bind(kind).fetch_optional(conn).await
        }
    }
}

/// All jobs of a video, newest first.
pub async fn of_video(db: &Db, video: VideoId) -> sqlx::Result<Vec<JobRow>> {
    const SQL: &str = "SELECT * FROM job WHERE video_id = $1 ORDER BY number DESC LIMIT 100";
    sql!(db, |pool| sqlx::query_as(SQL).bind(video).fetch_all(pool).await)
}

/// The newest job of a kind on a video.
pub async fn newest_of_video(tx: &mut Tx, video: VideoId, kind: QueueType) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str =
        "SELECT * FROM job WHERE video_id = $1 AND queue_type = $2 ORDER BY number DESC LIMIT 1";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(video).bind(kind).fetch_optional(conn).await)
}

/// Failed or cancelled jobs go back to the queue with a new budget; the attempt history stays.
pub async fn retry_if_ended(tx: &mut Tx, id: JobId, now: DateTime<Utc>) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = "UPDATE job SET status = 'pending', error = NULL, error_class = NULL, started_at = NULL, \
         finished_at = NULL, retry_after = NULL, claimable_at = $2, failure_count = 0, lost_count = 0, \
         encoder_failures = 0, progress_percent = 0, current_step = NULL, requeue_count = requeue_count + 1 \
         WHERE id = $1 AND status IN ('failed', 'cancelled') RETURNING *";
    let job: Option<JobRow> =
        sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(now).fetch_optional(conn).await)?;
    tx.claimable_if_due(job.as_ref());
    if let Some(job) = &job {
        tx.note(JobChange::Enqueued { queue: job.queue_type, reason: "requeued" });
    }
    Ok(job)
}

pub async fn cancel_if_pending(tx: &mut Tx, id: JobId, now: DateTime<Utc>) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = "UPDATE job SET status = 'cancelled', finished_at = $2, retry_after = NULL \
         WHERE id = $1 AND status = 'pending' RETURNING *";
    let job: Option<JobRow> =
        sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(now).fetch_optional(conn).await)?;
    if let Some(job) = &job {
        tx.note(JobChange::Cancelled { queue: job.queue_type });
    }
    Ok(job)
}

pub async fn set_priority_if_pending(tx: &mut Tx, id: JobId, priority: i32) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = "UPDATE job SET priority = $2 WHERE id = $1 AND status = 'pending' RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(priority).fetch_optional(conn).await)
}

/// Holds the live jobs of a video, in a fixed order, to the end of the transaction.
pub async fn live_of_video(tx: &mut Tx, video: VideoId) -> sqlx::Result<Vec<JobRow>> {
    const TEXT: &str =
        "SELECT * FROM job WHERE video_id = $1 AND status IN ('pending', 'running') ORDER BY number";
    const LOCKING: &str = "SELECT * FROM job WHERE video_id = $1 AND status IN ('pending', 'running') \
         ORDER BY number FOR UPDATE";
    match tx.engine() {
        crate::db::Engine::Postgres(conn) => sqlx::query_as(LOCKING).bind(video).fetch_all(conn).await,
        crate::db::Engine::Sqlite(conn) => sqlx::query_as(TEXT).bind(video).fetch_all(conn).await,
    }
}

/// Whether a job of the video waits or runs.
pub async fn any_live_of_video(tx: &mut Tx, video: VideoId) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM job WHERE video_id = $1 AND status IN ('pending', 'running')";
    let count: i64 = sql!(tx, |conn| sqlx::query_scalar(SQL).bind(video).fetch_one(conn).await)?;
    Ok(count > 0)
}

/// What its qualities need of a GPU, once they are known.
pub async fn set_gpu_needs(tx: &mut Tx, id: JobId, needs: Abilities) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE job SET gpu_needs = $2 WHERE id = $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(needs.bits()).execute(conn).await.map(drop))
}

/// A retry whose old output is gone or outdated works on a new generation; of a video that plays, as a re-transcode.
pub async fn begin_anew(
    tx: &mut Tx,
    id: JobId,
    generation: i32,
    retranscode: Option<&Retranscode>,
) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE job SET generation = $2, retranscode = $3 WHERE id = $1 AND status = 'pending'";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(generation)
        .bind(retranscode.map(Json))
        .execute(conn)
        .await
        .map(drop))
}

/// A job that ended without success and left output of a generation that does not play.
#[derive(Clone, Debug, FromRow)]
pub struct Leftover {
    pub id: JobId,
    pub video_id: VideoId,
    pub generation: i32,
}

/// Ended jobs whose partial output nobody came back for since `instant`.
pub async fn leftovers(db: &Db, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<Leftover>> {
    const SQL: &str = "SELECT j.id, j.video_id, j.generation FROM job j \
         JOIN generation g ON g.video_id = j.video_id AND g.number = j.generation \
         JOIN video v ON v.id = j.video_id \
         WHERE j.status IN ('failed', 'cancelled') AND j.finished_at <= $1 AND v.generation <> j.generation \
         ORDER BY j.number LIMIT $2";
    sql!(db, |pool| sqlx::query_as(SQL).bind(instant).bind(limit).fetch_all(pool).await)
}

/// Holds the job if it is still ended, so that no retry begins meanwhile.
pub async fn hold_if_ended(tx: &mut Tx, id: JobId) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE job SET status = status WHERE id = $1 AND status IN ('failed', 'cancelled')";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
