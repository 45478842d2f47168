//! Table `quality`: one rendition of a generation.

use chrono::{DateTime, Utc};
use framefarm_shared::id::VideoId;
use framefarm_shared::ladder::{MediaKind, PlannedQuality, VideoCodec};
use framefarm_shared::object_key::{MediaFile, ObjectKey};
use framefarm_shared::state::QualityStatus;
use sqlx::QueryBuilder;
use sqlx_macros::FromRow;

use super::{Db, Tx, push_list, sql};

/// Which generation a quality belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationKey {
    pub video: VideoId,
    pub number: i32,
}

impl GenerationKey {
    pub fn object(self, file: MediaFile) -> ObjectKey {
        ObjectKey::Media { video: self.video, generation: self.number, file }
    }

    pub fn master(self) -> ObjectKey {
        ObjectKey::Master { video: self.video, generation: self.number }
    }

    /// Of everything but the master.
    pub fn prefix(self) -> String {
        ObjectKey::generation_prefix(self.video, self.number)
    }
}

#[derive(Clone, Debug, FromRow)]
pub struct QualityRow {
    pub video_id: VideoId,
    pub generation: i32,
    pub name: String,
    pub position: i32,
    pub kind: MediaKind,
    pub status: QualityStatus,
    /// Taken over from this generation by a partial re-transcode.
    pub carried_from: Option<i32>,
    pub width: i32,
    pub height: i32,
    pub bitrate_kbps: i32,
    /// Of a picture; means nothing for a sound.
    pub codec: VideoCodec,
    pub segments_total: i32,
    pub segments_completed: i32,
    pub progress_percent: f64,
    /// Frames a second and seconds of video a second, as last told in this attempt.
    pub fps: Option<f64>,
    pub speed: Option<f64>,
    pub init_sha256: Option<Vec<u8>>,
    pub init_size: Option<i64>,
    pub timescale: Option<i64>,
    pub codecs: Option<String>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
    pub error_message: Option<String>,
}

pub async fn of_generation(db: &Db, key: GenerationKey) -> sqlx::Result<Vec<QualityRow>> {
    const SQL: &str = "SELECT * FROM quality WHERE video_id = $1 AND generation = $2 ORDER BY position";
    sql!(db, |pool| sqlx::query_as(SQL).bind(key.video).bind(key.number).fetch_all(pool).await)
}

/// Of what the waiting and running transcodes of these videos make, in the order of each ladder.
pub async fn in_the_making(db: &Db, videos: &[VideoId]) -> sqlx::Result<Vec<QualityRow>> {
    if videos.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new(
            "SELECT q.* FROM quality q JOIN job j ON j.video_id = q.video_id AND j.generation = q.generation \
             WHERE j.status IN ('pending', 'running') AND j.queue_type = 'transcode' AND j.video_id IN (",
        );
        push_list!(query, videos);
        query.push(") ORDER BY q.position");
        query.build_query_as().fetch_all(pool).await
    })
}

pub async fn of_generation_in(tx: &mut Tx, key: GenerationKey) -> sqlx::Result<Vec<QualityRow>> {
    const SQL: &str = "SELECT * FROM quality WHERE video_id = $1 AND generation = $2 ORDER BY position";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(key.video).bind(key.number).fetch_all(conn).await)
}

pub async fn get_in(tx: &mut Tx, key: GenerationKey, name: &str) -> sqlx::Result<Option<QualityRow>> {
    const SQL: &str = "SELECT * FROM quality WHERE video_id = $1 AND generation = $2 AND name = $3";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(name)
        .fetch_optional(conn)
        .await)
}

pub async fn insert(
    tx: &mut Tx,
    key: GenerationKey,
    position: i32,
    quality: &PlannedQuality,
    segments_total: i32,
) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO quality (video_id, generation, name, position, kind, status, width, height, \
         bitrate_kbps, codec, segments_total) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
         ON CONFLICT DO NOTHING";
    let status = if quality.skipped { QualityStatus::Skipped } else { QualityStatus::Pending };
    let side = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(&quality.name)
        .bind(position)
        .bind(quality.kind)
        .bind(status)
        .bind(side(quality.width))
        .bind(side(quality.height))
        .bind(side(quality.bitrate_kbps))
        .bind(quality.codec)
        .bind(segments_total)
        .execute(conn)
        .await
        .map(drop))
}

/// Takes a finished quality over from another generation of the same video, with its segments.
pub async fn carry_over(tx: &mut Tx, to: GenerationKey, from: i32, name: &str) -> sqlx::Result<bool> {
    const QUALITY: &str = "INSERT INTO quality (video_id, generation, name, position, kind, status, carried_from, \
         width, height, bitrate_kbps, codec, segments_total, segments_completed, progress_percent, init_sha256, \
         init_size, timescale, codecs, started_at, completed_at) \
         SELECT video_id, $3, name, position, kind, status, $2, width, height, bitrate_kbps, codec, segments_total, \
         segments_completed, progress_percent, init_sha256, init_size, timescale, codecs, started_at, completed_at \
         FROM quality WHERE video_id = $1 AND generation = $2 AND name = $4 AND status IN ('completed', 'skipped')";
    const SEGMENTS: &str = "INSERT INTO segment (video_id, generation, quality, position, sha256, size, start_ticks, \
         duration_ticks, init_sha256) SELECT video_id, $3, quality, position, sha256, size, start_ticks, \
         duration_ticks, init_sha256 FROM segment WHERE video_id = $1 AND generation = $2 AND quality = $4";
    for text in [QUALITY, SEGMENTS] {
        let done = sql!(tx, |conn| sqlx::query(text)
            .bind(to.video)
            .bind(from)
            .bind(to.number)
            .bind(name)
            .execute(conn)
            .await
            .map(|d| d.rows_affected()))?;
        if text == QUALITY && done == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A new attempt: what failed is tried again, and everything unfinished stands where its verified segments end.
pub async fn reopen(tx: &mut Tx, key: GenerationKey) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE quality SET error_message = NULL, fps = NULL, speed = NULL, \
         status = CASE WHEN status = 'failed' OR segments_completed = 0 THEN 'pending' ELSE status END, \
         progress_percent = CASE WHEN segments_total = 0 THEN 0 ELSE 100.0 * segments_completed / segments_total END \
         WHERE video_id = $1 AND generation = $2 AND status IN ('failed', 'in_progress')";
    sql!(tx, |conn| sqlx::query(SQL).bind(key.video).bind(key.number).execute(conn).await.map(drop))
}

/// How far an encoder is with a quality, and how fast.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    pub percent: f64,
    pub fps: Option<f64>,
    pub speed: Option<f64>,
}

/// Progress of a quality that is not finished; it never goes back within an attempt.
pub async fn progress_if_open(
    tx: &mut Tx,
    key: GenerationKey,
    name: &str,
    pace: Pace,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE quality SET status = 'in_progress', started_at = COALESCE(started_at, $5), \
         progress_percent = CASE WHEN $4 > progress_percent THEN $4 ELSE progress_percent END, fps = $6, speed = $7 \
         WHERE video_id = $1 AND generation = $2 AND name = $3 AND status IN ('pending', 'in_progress')";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(name)
        .bind(pace.percent)
        .bind(now)
        .bind(pace.fps)
        .bind(pace.speed)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn fail_if_open(tx: &mut Tx, key: GenerationKey, name: &str, error: &str) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE quality SET status = 'failed', error_message = $4 \
         WHERE video_id = $1 AND generation = $2 AND name = $3 AND status IN ('pending', 'in_progress')";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(name)
        .bind(error)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// What the first verified part tells of a quality's stream.
pub struct Stream<'a> {
    pub init_sha256: &'a [u8],
    pub init_size: i64,
    pub timescale: i64,
    pub codecs: &'a str,
}

/// Remembers the init segment; a part that brings another one keeps it with its segments.
pub async fn set_stream_if_none(
    tx: &mut Tx,
    key: GenerationKey,
    name: &str,
    stream: &Stream<'_>,
) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE quality SET init_sha256 = $4, init_size = $5, timescale = $6, codecs = $7 \
         WHERE video_id = $1 AND generation = $2 AND name = $3 AND init_sha256 IS NULL";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(name)
        .bind(stream.init_sha256)
        .bind(stream.init_size)
        .bind(stream.timescale)
        .bind(stream.codecs)
        .execute(conn)
        .await
        .map(drop))
}

/// A later encoder codes the quality in another profile or at another level; `false` if it is no longer `known`.
pub async fn set_codecs_if(
    tx: &mut Tx,
    key: GenerationKey,
    name: &str,
    known: &str,
    codecs: &str,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE quality SET codecs = $5 \
         WHERE video_id = $1 AND generation = $2 AND name = $3 AND codecs = $4";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(name)
        .bind(known)
        .bind(codecs)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Counts the verified segments; the last one completes the quality.
pub async fn settle(
    tx: &mut Tx,
    key: GenerationKey,
    name: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<QualityRow> {
    const COUNT: &str =
        "SELECT count(*) FROM segment WHERE video_id = $1 AND generation = $2 AND quality = $3";
    const SQL: &str = "UPDATE quality SET segments_completed = $4, started_at = COALESCE(started_at, $5), \
         status = CASE WHEN $4 = segments_total THEN 'completed' ELSE 'in_progress' END, \
         completed_at = CASE WHEN $4 = segments_total THEN COALESCE(completed_at, $5) ELSE NULL END, \
         progress_percent = CASE WHEN 100.0 * $4 / segments_total > progress_percent \
         THEN 100.0 * $4 / segments_total ELSE progress_percent END, error_message = NULL \
         WHERE video_id = $1 AND generation = $2 AND name = $3 RETURNING *";
    let count: i64 = sql!(tx, |conn| sqlx::query_scalar(COUNT)
        .bind(key.video)
        .bind(key.number)
        .bind(name)
        .fetch_one(conn)
        .await)?;
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(name)
        .bind(i32::try_from(count).unwrap_or(i32::MAX))
        .bind(now)
        .fetch_one(conn)
        .await)
}

/// The same quality in a new generation, to be encoded again.
pub async fn insert_again(tx: &mut Tx, key: GenerationKey, old: &QualityRow) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO quality (video_id, generation, name, position, kind, status, width, height, \
         bitrate_kbps, codec, segments_total) VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10)";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(&old.name)
        .bind(old.position)
        .bind(old.kind)
        .bind(old.width)
        .bind(old.height)
        .bind(old.bitrate_kbps)
        .bind(old.codec)
        .bind(old.segments_total)
        .execute(conn)
        .await
        .map(drop))
}

/// Forgets everything delivered for a generation; its qualities start over.
pub async fn reset_all(tx: &mut Tx, key: GenerationKey) -> sqlx::Result<()> {
    const SEGMENTS: &str = "DELETE FROM segment WHERE video_id = $1 AND generation = $2";
    const SQL: &str = "UPDATE quality SET status = 'pending', segments_completed = 0, progress_percent = 0, \
         init_sha256 = NULL, init_size = NULL, completed_at = NULL, error_message = NULL, carried_from = NULL, \
         fps = NULL, speed = NULL \
         WHERE video_id = $1 AND generation = $2 AND status <> 'skipped'";
    sql!(tx, |conn| sqlx::query(SEGMENTS).bind(key.video).bind(key.number).execute(conn).await.map(drop))?;
    sql!(tx, |conn| sqlx::query(SQL).bind(key.video).bind(key.number).execute(conn).await.map(drop))
}
