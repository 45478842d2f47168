//! Table `extra_file`: the images and subtitles of a generation.

use chrono::{DateTime, Utc};
use framefarm_shared::extra_file::ExtraKind;
use sqlx_macros::FromRow;

use super::qualities::GenerationKey;
use super::{Db, Tx, sql};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ExtraFileRow {
    pub kind: ExtraKind,
    pub name: String,
    /// Taken over from this generation by a partial re-transcode.
    pub carried_from: Option<i32>,
    pub sha256: Vec<u8>,
    pub size: i64,
}

pub async fn of_generation(db: &Db, key: GenerationKey) -> sqlx::Result<Vec<ExtraFileRow>> {
    const SQL: &str = "SELECT kind, name, carried_from, sha256, size FROM extra_file \
         WHERE video_id = $1 AND generation = $2 ORDER BY kind, name";
    sql!(db, |pool| sqlx::query_as(SQL).bind(key.video).bind(key.number).fetch_all(pool).await)
}

/// Kinds and names of what is there.
pub async fn names(tx: &mut Tx, key: GenerationKey) -> sqlx::Result<Vec<(ExtraKind, String)>> {
    const SQL: &str =
        "SELECT kind, name FROM extra_file WHERE video_id = $1 AND generation = $2 ORDER BY kind, name";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(key.video).bind(key.number).fetch_all(conn).await)
}

pub async fn get_in(
    tx: &mut Tx,
    key: GenerationKey,
    kind: ExtraKind,
    name: &str,
) -> sqlx::Result<Option<ExtraFileRow>> {
    const SQL: &str = "SELECT kind, name, carried_from, sha256, size FROM extra_file \
         WHERE video_id = $1 AND generation = $2 AND kind = $3 AND name = $4";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(kind)
        .bind(name)
        .fetch_optional(conn)
        .await)
}

/// The bytes of all files of a generation.
pub async fn total_size(tx: &mut Tx, key: GenerationKey) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT CAST(COALESCE(sum(size), 0) AS bigint) FROM extra_file \
         WHERE video_id = $1 AND generation = $2";
    sql!(tx, |conn| sqlx::query_scalar(SQL).bind(key.video).bind(key.number).fetch_one(conn).await)
}

/// Adds a file, or replaces the one of its name.
pub async fn put(
    tx: &mut Tx,
    key: GenerationKey,
    file: &ExtraFileRow,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO extra_file (video_id, generation, kind, name, carried_from, sha256, size, \
         created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
         ON CONFLICT (video_id, generation, kind, name) DO UPDATE SET carried_from = excluded.carried_from, \
         sha256 = excluded.sha256, size = excluded.size, created_at = excluded.created_at";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(file.kind)
        .bind(&file.name)
        .bind(file.carried_from)
        .bind(file.sha256.as_slice())
        .bind(file.size)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))
}

/// Takes all files of a kind over from another generation of the same video.
pub async fn carry_over(tx: &mut Tx, to: GenerationKey, from: i32, kind: ExtraKind) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO extra_file (video_id, generation, kind, name, carried_from, sha256, size, \
         created_at) SELECT video_id, $3, kind, name, $2, sha256, size, created_at \
         FROM extra_file WHERE video_id = $1 AND generation = $2 AND kind = $4";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(to.video)
        .bind(from)
        .bind(to.number)
        .bind(kind)
        .execute(conn)
        .await
        .map(drop))
}
