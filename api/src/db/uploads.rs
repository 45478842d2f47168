//! Table `upload`: tus uploads under way. The bytes are in the staging directory; `received` says how many count.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, UploadId, VideoId};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json;

use super::{Db, Tx, sql};

/// What the uploader asked for, kept until the last byte is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadRequest {
    pub file_name: String,
    pub title: Option<String>,
    pub collection: Option<String>,
    pub priority: i32,
    pub qualities: Option<Vec<String>>,
    pub force: bool,
    pub cancel_running: bool,
}

#[derive(Clone, Debug, FromRow)]
pub struct UploadRow {
    pub id: UploadId,
    /// `open` or `sealed`.
    pub status: String,
    pub length: i64,
    pub received: i64,
    /// The client's `Upload-Metadata`, given back as it came.
    pub metadata: String,
    pub request: Json<UploadRequest>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub video_id: Option<VideoId>,
    pub job_id: Option<JobId>,
    /// Whether the same content was here already; known once sealed.
    pub deduplicated: Option<bool>,
}

pub async fn insert(
    tx: &mut Tx,
    id: UploadId,
    length: i64,
    metadata: &str,
    request: &UploadRequest,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> sqlx::Result<UploadRow> {
    const SQL: &str = "INSERT INTO upload (id, status, length, metadata, request, created_at, expires_at) \
         VALUES ($1, 'open', $2, $3, $4, $5, $6) RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(id)
        .bind(length)
        .bind(metadata)
        .bind(Json(request))
        .bind(now)
        .bind(expires_at)
        .fetch_one(conn)
        .await)
}

pub async fn get(db: &Db, id: UploadId) -> sqlx::Result<Option<UploadRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM upload WHERE id = $1").bind(id).fetch_optional(pool).await)
}

/// Counts new bytes if nobody else did meanwhile; activity prolongs the life of the upload.
pub async fn advance_if_at(
    tx: &mut Tx,
    id: UploadId,
    from: i64,
    to: i64,
    expires_at: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE upload SET received = $3, expires_at = $4 \
         WHERE id = $1 AND status = 'open' AND received = $2";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(from)
        .bind(to)
        .bind(expires_at)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// The upload became (or was found to be) this video.
pub async fn seal_if_whole(
    tx: &mut Tx,
    id: UploadId,
    video: VideoId,
    job: JobId,
    deduplicated: bool,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE upload SET status = 'sealed', video_id = $2, job_id = $3, deduplicated = $4 \
         WHERE id = $1 AND status = 'open' AND received = length";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(video)
        .bind(job)
        .bind(deduplicated)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Every byte is here, but the API ended before the upload became a video.
pub async fn whole_but_open(db: &Db) -> sqlx::Result<Vec<UploadRow>> {
    const SQL: &str =
        "SELECT * FROM upload WHERE status = 'open' AND received = length ORDER BY created_at, id LIMIT 100";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

pub async fn delete(tx: &mut Tx, id: UploadId) -> sqlx::Result<bool> {
    let done = sql!(tx, |conn| sqlx::query("DELETE FROM upload WHERE id = $1")
        .bind(id)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn expired(db: &Db, now: DateTime<Utc>) -> sqlx::Result<Vec<UploadId>> {
    const SQL: &str = "SELECT id FROM upload WHERE expires_at <= $1 ORDER BY expires_at LIMIT 100";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(now).fetch_all(pool).await)
}

pub async fn delete_if_expired(tx: &mut Tx, id: UploadId, now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM upload WHERE id = $1 AND expires_at <= $2";
    let done =
        sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(now).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Bytes that open uploads may still bring.
pub async fn outstanding_bytes(db: &Db) -> sqlx::Result<i64> {
    const SQL: &str =
        "SELECT CAST(COALESCE(sum(length - received), 0) AS bigint) FROM upload WHERE status = 'open'";
    sql!(db, |pool| sqlx::query_scalar(SQL).fetch_one(pool).await)
}
