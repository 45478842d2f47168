//! Table `video`.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{CollectionId, VideoId};
use framefarm_shared::state::VideoStatus;
use serde::Serialize;
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, Engine, Tx, push_list, sql};

#[derive(Clone, Debug, FromRow, Serialize)]
pub struct VideoRow {
    pub id: VideoId,
    pub slug: String,
    pub title: String,
    pub collection_id: Option<CollectionId>,
    pub status: VideoStatus,
    pub source_name: String,
    pub source_size: i64,
    pub source_sha256: String,
    pub identity: String,
    /// Rungs asked for; NULL is the whole ladder.
    pub wanted: Option<Json<Vec<String>>>,
    /// The generation that plays; 0 is none.
    pub generation: i32,
    /// The newest generation ever begun.
    pub last_generation: i32,
    pub duration_us: Option<i64>,
    pub width: Option<i32>,
    pub height: Option<i32>,
    pub renditions: Option<Json<serde_json::Value>>,
    pub error_message: Option<String>,
    /// Failed because a person cancelled its job.
    pub cancelled: bool,
    pub created_at: DateTime<Utc>,
    pub ready_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
    /// Since when there is no original any more.
    pub source_deleted_at: Option<DateTime<Utc>>,
}

pub struct NewVideo {
    pub id: VideoId,
    pub slug: String,
    pub title: String,
    pub collection_id: Option<CollectionId>,
    pub source_name: String,
    pub source_size: i64,
    pub source_sha256: String,
    pub identity: String,
    pub wanted: Option<Vec<String>>,
}

/// A new video waits for its first generation.
pub async fn insert(tx: &mut Tx, new: NewVideo, now: DateTime<Utc>) -> sqlx::Result<VideoRow> {
    const SQL: &str = "INSERT INTO video (id, slug, title, collection_id, status, source_name, source_size, \
         source_sha256, identity, wanted, last_generation, created_at, search_title) \
         VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, 1, $10, $11) RETURNING *";
    let search_title = folded(&new.title);
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(new.id)
        .bind(new.slug)
        .bind(new.title)
        .bind(new.collection_id)
        .bind(new.source_name)
        .bind(new.source_size)
        .bind(new.source_sha256)
        .bind(new.identity)
        .bind(new.wanted.map(Json))
        .bind(now)
        .bind(search_title)
        .fetch_one(conn)
        .await)
}

/// A title as searches see it. Done here because SQLite's `lower()` knows ASCII alone.
pub(super) fn folded(title: &str) -> String {
    title.to_lowercase()
}

pub async fn get(db: &Db, id: VideoId) -> sqlx::Result<Option<VideoRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM video WHERE id = $1").bind(id).fetch_optional(pool).await)
}

pub async fn get_in(tx: &mut Tx, id: VideoId) -> sqlx::Result<Option<VideoRow>> {
    sql!(tx, |conn| sqlx::query_as("SELECT * FROM video WHERE id = $1").bind(id).fetch_optional(conn).await)
}

/// Those of these videos that there are, also deleted ones.
pub async fn known(db: &Db, ids: &[VideoId]) -> sqlx::Result<Vec<VideoId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT id FROM video WHERE id IN (");
        push_list!(query, ids);
        query.push(")").build_query_scalar().fetch_all(pool).await
    })
}

pub async fn by_slug(db: &Db, slug: &str) -> sqlx::Result<Option<VideoRow>> {
    const SQL: &str = "SELECT * FROM video WHERE slug = $1 AND deleted_at IS NULL";
    sql!(db, |pool| sqlx::query_as(SQL).bind(slug).fetch_optional(pool).await)
}

/// Until the end of the transaction nobody else changes the video, and no job of it begins.
pub async fn lock(tx: &mut Tx, id: VideoId) -> sqlx::Result<()> {
    // SQLite has one writer at a time anyway.
    if let Engine::Postgres(conn) = tx.engine() {
        const SQL: &str = "SELECT 1 FROM video WHERE id = $1 FOR UPDATE";
        sqlx::query(SQL).bind(id).execute(conn).await?;
    }
    Ok(())
}

/// The newest video with this content and ladder that was not deleted.
pub async fn newest_by_identity(tx: &mut Tx, identity: &str) -> sqlx::Result<Option<VideoRow>> {
    const SQL: &str = "SELECT * FROM video WHERE identity = $1 AND deleted_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(identity).fetch_optional(conn).await)
}

#[derive(Clone, Debug, Default)]
pub struct VideoFilter {
    pub status: Option<VideoStatus>,
    pub collection: Option<CollectionId>,
    /// Part of the title, in any case.
    pub search: Option<String>,
}

/// Newest first; `before` is the last video of the page before.
pub async fn list(
    db: &Db,
    filter: &VideoFilter,
    before: Option<(DateTime<Utc>, VideoId)>,
    limit: i64,
) -> sqlx::Result<Vec<VideoRow>> {
    sql!(db.searching(), |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM video WHERE deleted_at IS NULL");
        if let Some(status) = filter.status {
            query.push(" AND status = ").push_bind(status);
        }
        if let Some(collection) = filter.collection {
            query.push(" AND collection_id = ").push_bind(collection);
        }
        if let Some(search) = &filter.search {
            query.push(" AND search_title LIKE ").push_bind(title_pattern(search)).push(" ESCAPE '\\'");
        }
        if let Some((created_at, id)) = before {
            query.push(" AND (created_at, id) < (").push_bind(created_at).push(", ").push_bind(id).push(")");
        }
        query.push(" ORDER BY created_at DESC, id DESC LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(pool).await
    })
}

/// What `LIKE` finds a part of a title by.
pub(super) fn title_pattern(search: &str) -> String {
    let escaped = folded(search).replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

pub async fn titles(db: &Db, ids: &[VideoId]) -> sqlx::Result<Vec<(VideoId, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT id, title FROM video WHERE id IN (");
        push_list!(query, ids);
        query.push(")");
        query.build_query_as().fetch_all(pool).await
    })
}

pub async fn count_by_status(db: &Db) -> sqlx::Result<Vec<(VideoStatus, i64)>> {
    const SQL: &str = "SELECT status, count(*) FROM video WHERE deleted_at IS NULL GROUP BY status";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

/// One guarded change of status; `true` if the video was in a state of `from` and not deleted.
macro_rules! move_video {
    ($(#[$doc:meta])* $name:ident, $set:literal, $guard:literal) => {
        $(#[$doc])*
        pub async fn $name(tx: &mut Tx, id: VideoId) -> sqlx::Result<bool> {
            const SQL: &str =
                concat!("UPDATE video SET ", $set, " WHERE id = $1 AND deleted_at IS NULL AND ", $guard);
            let done = sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))?;
            Ok(done == 1)
        }
    };
}

/// A claim took its job.
pub async fn begin_if_pending(tx: &mut Tx, id: VideoId) -> sqlx::Result<Option<VideoRow>> {
    const SQL: &str = "UPDATE video SET status = 'processing' \
         WHERE id = $1 AND deleted_at IS NULL AND status = 'pending' RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).fetch_optional(conn).await)
}

move_video!(
    /// Its job went back to the queue.
    wait_if_processing, "status = 'pending'", "status = 'processing'");
move_video!(
    /// A person wants it tried again.
    wait_if_failed, "status = 'pending', error_message = NULL, cancelled = false", "status = 'failed'");
move_video!(
    /// A claimed re-transcode that frees the disk first: nothing plays until it is done.
    unpublish_if_ready, "status = 'processing', generation = 0", "status = 'ready'");
move_video!(
    /// Holds the row, so that a deletion waits for the claim or the claim sees the deletion.
    is_not_deleted, "status = status", "1 = 1");

/// Its job failed.
pub async fn fail_if_unpublished(tx: &mut Tx, id: VideoId, message: &str) -> sqlx::Result<bool> {
    end_if_unpublished(tx, id, message, false).await
}

/// Its job was cancelled.
pub async fn cancel_if_unpublished(tx: &mut Tx, id: VideoId) -> sqlx::Result<bool> {
    end_if_unpublished(tx, id, "Cancelled.", true).await
}

async fn end_if_unpublished(tx: &mut Tx, id: VideoId, message: &str, cancelled: bool) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE video SET status = 'failed', error_message = $2, cancelled = $3 \
         WHERE id = $1 AND status IN ('pending', 'processing')";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(message)
        .bind(cancelled)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// What a finished generation says of the video.
pub struct Published {
    pub generation: i32,
    pub duration_us: i64,
    pub width: Option<i32>,
    pub height: Option<i32>,
    pub renditions: serde_json::Value,
    pub now: DateTime<Utc>,
}

/// Switches the video to a new generation in one step.
pub async fn publish(tx: &mut Tx, id: VideoId, new: Published) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE video SET status = 'ready', generation = $2, duration_us = $3, width = $4, \
         height = $5, renditions = $6, ready_at = $7, error_message = NULL, cancelled = false \
         WHERE id = $1 AND status IN ('processing', 'ready') AND deleted_at IS NULL AND generation < $2";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(new.generation)
        .bind(new.duration_us)
        .bind(new.width)
        .bind(new.height)
        .bind(Json(&new.renditions))
        .bind(new.now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Reserves the number of the next generation.
pub async fn next_generation(tx: &mut Tx, id: VideoId) -> sqlx::Result<Option<i32>> {
    const SQL: &str = "UPDATE video SET last_generation = last_generation + 1 \
         WHERE id = $1 AND deleted_at IS NULL RETURNING last_generation";
    sql!(tx, |conn| sqlx::query_scalar(SQL).bind(id).fetch_optional(conn).await)
}

pub async fn rename(tx: &mut Tx, id: VideoId, title: &str) -> sqlx::Result<Option<VideoRow>> {
    const SQL: &str =
        "UPDATE video SET title = $2, search_title = $3 WHERE id = $1 AND deleted_at IS NULL RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(title).bind(folded(title)).fetch_optional(conn).await)
}

/// What the video is the same as.
pub async fn set_identity(tx: &mut Tx, id: VideoId, identity: &str) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE video SET identity = $2 WHERE id = $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(identity).execute(conn).await.map(drop))
}

pub async fn set_collection(
    tx: &mut Tx,
    id: VideoId,
    to: Option<CollectionId>,
) -> sqlx::Result<Option<VideoRow>> {
    const SQL: &str = "UPDATE video SET collection_id = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(to).fetch_optional(conn).await)
}

pub async fn delete_softly(tx: &mut Tx, id: VideoId, now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE video SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";
    let done =
        sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(now).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn restore(tx: &mut Tx, id: VideoId) -> sqlx::Result<Option<VideoRow>> {
    const SQL: &str =
        "UPDATE video SET deleted_at = NULL WHERE id = $1 AND deleted_at IS NOT NULL RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).fetch_optional(conn).await)
}

/// Videos deleted by `instant`.
pub async fn deleted_by(db: &Db, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<VideoId>> {
    const SQL: &str = "SELECT id FROM video WHERE deleted_at <= $1 ORDER BY deleted_at LIMIT $2";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(instant).bind(limit).fetch_all(pool).await)
}

/// Removes the row and all that belongs to it, if it is still deleted.
pub async fn purge_if_deleted(tx: &mut Tx, id: VideoId) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM video WHERE id = $1 AND deleted_at IS NOT NULL";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// What a video takes in the storage, as its row says.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct VideoSize {
    pub id: VideoId,
    /// 0 once the source is gone.
    pub source_size: i64,
    /// Segments of the generation that plays.
    pub video_size: i64,
}

/// In the order of their ids, deleted ones included: their bytes are still there.
pub async fn sizes_after(db: &Db, after: VideoId, limit: i64) -> sqlx::Result<Vec<VideoSize>> {
    macro_rules! sizes {
        ($size:literal, $renditions:literal) => {
            concat!(
                "SELECT id, CASE WHEN source_deleted_at IS NULL THEN source_size ELSE 0 END AS source_size, \
                 COALESCE((SELECT CAST(sum(",
                $size,
                ") AS bigint) FROM ",
                $renditions,
                " r), 0) AS video_size FROM video WHERE id > $1 ORDER BY id LIMIT $2"
            )
        };
    }
    // Each engine has its own words for the inside of JSON.
    const POSTGRES: &str =
        sizes!("CAST(r.value ->> 'bytes' AS bigint)", "jsonb_array_elements(renditions -> 'renditions')");
    const SQLITE: &str = sizes!("r.value ->> 'bytes'", "json_each(renditions, '$.renditions')");
    match db.engine() {
        Engine::Postgres(pool) => sqlx::query_as(POSTGRES).bind(after).bind(limit).fetch_all(pool).await,
        Engine::Sqlite(pool) => sqlx::query_as(SQLITE).bind(after).bind(limit).fetch_all(pool).await,
    }
}
