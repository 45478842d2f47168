//! Table `upload`: uploads under way. The bytes are in the staging directory or in parts of an object store
//! (`upload_part`); `received` says how many count.
//!
//! Whoever works on an upload has taken a turn. Counting and reserving compare it, so that a holder who was overtaken,
//! on whichever instance, changes nothing more.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, UploadId, VideoId};
use framefarm_shared::state::UploadStatus;
use serde::{Deserialize, Serialize};
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, Tx, push_list, sql};

/// What the uploader asked for, kept until the last byte is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadRequest {
    pub file_name: String,
    pub title: Option<String>,
    pub collection: Option<String>,
    pub priority: i32,
    /// Whether the uploader named the priority; its collection's counts otherwise. Older rows say nothing of it.
    #[serde(default = "named")]
    pub priority_named: bool,
    pub qualities: Option<Vec<String>>,
    pub force: bool,
    pub cancel_running: bool,
}

fn named() -> bool {
    true
}

impl UploadRequest {
    /// The priority that the uploader asked for, if any.
    pub fn named_priority(&self) -> Option<i32> {
        (self.priority_named || self.priority != 0).then_some(self.priority)
    }
}

#[derive(Clone, Debug, FromRow)]
pub struct UploadRow {
    pub id: UploadId,
    pub status: UploadStatus,
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
    /// Higher with everybody who takes the upload.
    pub turn: i64,
    /// Under which video the object store has the bytes; this and what follows is absent on a disk.
    pub source_id: Option<VideoId>,
    /// What the store calls the unfinished object.
    pub multipart: Option<String>,
    pub part_size: Option<i64>,
    /// The number that nobody has reserved yet.
    pub next_part: i32,
    /// Who stored the bytes behind the last part as an object of their own, if there are any.
    pub rest_turn: Option<i64>,
    /// The state of a SHA-256 over what was received.
    pub digest: Option<Vec<u8>>,
    /// Who began it; absent for uploads of earlier versions.
    pub owner: Option<String>,
}

/// Where an object store collects the parts of an upload.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    pub source: VideoId,
    pub multipart: &'a str,
    pub part_size: i64,
}

/// New bytes that are safe, to be counted.
#[derive(Clone, Copy, Debug)]
pub struct Advance<'a> {
    pub id: UploadId,
    pub turn: i64,
    pub from: i64,
    pub to: i64,
    pub expires_at: DateTime<Utc>,
    pub rest_turn: Option<i64>,
    pub digest: Option<&'a [u8]>,
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

/// Says who begins an upload.
pub async fn set_owner(tx: &mut Tx, id: UploadId, owner: &str) -> sqlx::Result<()> {
    sql!(tx, |conn| sqlx::query("UPDATE upload SET owner = $2 WHERE id = $1")
        .bind(id)
        .bind(owner)
        .execute(conn)
        .await
        .map(drop))
}

/// How many uploads of an owner are open, and how many bytes they may still bring.
pub async fn open_of(tx: &mut Tx, owner: &str, now: DateTime<Utc>) -> sqlx::Result<(i64, i64)> {
    const SQL: &str = "SELECT count(*), CAST(COALESCE(sum(length - received), 0) AS bigint) FROM upload \
         WHERE owner = $1 AND status = 'open' AND expires_at > $2";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(owner).bind(now).fetch_one(conn).await)
}

/// Open uploads, the oldest first.
pub async fn open(db: &Db, limit: i64) -> sqlx::Result<Vec<UploadRow>> {
    const SQL: &str = "SELECT * FROM upload WHERE status = 'open' ORDER BY created_at, id LIMIT $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(limit).fetch_all(pool).await)
}

pub async fn get(db: &Db, id: UploadId) -> sqlx::Result<Option<UploadRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM upload WHERE id = $1").bind(id).fetch_optional(pool).await)
}

/// Gives the upload to a new holder; those before it can do nothing more.
pub async fn take_if_open(tx: &mut Tx, id: UploadId) -> sqlx::Result<Option<UploadRow>> {
    const SQL: &str = "UPDATE upload SET turn = turn + 1 WHERE id = $1 AND status = 'open' RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).fetch_optional(conn).await)
}

/// The same to drop it: also a sealed one.
pub async fn take(tx: &mut Tx, id: UploadId) -> sqlx::Result<Option<UploadRow>> {
    const SQL: &str = "UPDATE upload SET turn = turn + 1 WHERE id = $1 RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).fetch_optional(conn).await)
}

/// The same if its time is over.
pub async fn take_if_expired(
    tx: &mut Tx,
    id: UploadId,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<UploadRow>> {
    const SQL: &str = "UPDATE upload SET turn = turn + 1 WHERE id = $1 AND expires_at <= $2 RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(now).fetch_optional(conn).await)
}

/// Writes down where the parts go, once.
pub async fn begin_parts_if_turn(
    tx: &mut Tx,
    id: UploadId,
    turn: i64,
    target: &Target<'_>,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE upload SET source_id = $3, multipart = $4, part_size = $5 \
         WHERE id = $1 AND turn = $2 AND status = 'open' AND multipart IS NULL";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(turn)
        .bind(target.source)
        .bind(target.multipart)
        .bind(target.part_size)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// The number of the next part, which nobody else will ever get.
pub async fn reserve_part_if_turn(tx: &mut Tx, id: UploadId, turn: i64) -> sqlx::Result<Option<i32>> {
    const SQL: &str = "UPDATE upload SET next_part = next_part + 1 \
         WHERE id = $1 AND turn = $2 AND status = 'open' RETURNING next_part - 1";
    sql!(tx, |conn| sqlx::query_scalar(SQL).bind(id).bind(turn).fetch_optional(conn).await)
}

/// Counts new bytes if it is still this holder's turn and nobody else counted; activity prolongs the upload's life.
pub async fn advance_if_at(tx: &mut Tx, new: &Advance<'_>) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE upload SET received = $4, expires_at = $5, rest_turn = $6, digest = $7 \
         WHERE id = $1 AND status = 'open' AND turn = $2 AND received = $3";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(new.id)
        .bind(new.turn)
        .bind(new.from)
        .bind(new.to)
        .bind(new.expires_at)
        .bind(new.rest_turn)
        .bind(new.digest)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Bytes come: from now on it lives as long as any other.
pub async fn prolong_if_turn(
    tx: &mut Tx,
    id: UploadId,
    turn: i64,
    expires_at: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE upload SET expires_at = $3 WHERE id = $1 AND turn = $2 AND status = 'open'";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(turn)
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
    job: Option<JobId>,
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

/// For an upload that needs no row any more because it became a video in the same transaction.
pub async fn delete_if_turn(tx: &mut Tx, id: UploadId, turn: i64) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM upload WHERE id = $1 AND turn = $2 AND status = 'open'";
    let done =
        sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(turn).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Those of these uploads that there are.
pub async fn known(db: &Db, ids: &[UploadId]) -> sqlx::Result<Vec<UploadId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT id FROM upload WHERE id IN (");
        push_list!(query, ids);
        query.push(")").build_query_scalar().fetch_all(pool).await
    })
}

/// Those of these videos, which may not be there yet, that an upload has its bytes under.
pub async fn known_sources(db: &Db, sources: &[VideoId]) -> sqlx::Result<Vec<VideoId>> {
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT source_id FROM upload WHERE source_id IN (");
        push_list!(query, sources);
        query.push(")").build_query_scalar().fetch_all(pool).await
    })
}

/// Uploads whose time is over, and how many bytes go with each.
pub async fn expired(db: &Db, now: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<(UploadId, i64)>> {
    // What the farm fetches itself says what it became only here, until its intake has heard of it.
    const SQL: &str = "SELECT id, CASE WHEN status = 'open' THEN received ELSE 0 END FROM upload \
         WHERE expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM intake \
         WHERE intake.upload_id = upload.id AND intake.state IN ('waiting', 'fetching')) \
         ORDER BY expires_at LIMIT $2";
    sql!(db, |pool| sqlx::query_as(SQL).bind(now).bind(limit).fetch_all(pool).await)
}

pub async fn delete_if_expired(tx: &mut Tx, id: UploadId, now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM upload WHERE id = $1 AND expires_at <= $2";
    let done =
        sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(now).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Bytes that open uploads may still bring, unless they expired by `now`.
pub async fn outstanding_bytes(db: &Db, now: DateTime<Utc>) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT CAST(COALESCE(sum(length - received), 0) AS bigint) FROM upload \
         WHERE status = 'open' AND expires_at > $1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(now).fetch_one(pool).await)
}
