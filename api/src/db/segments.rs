//! Table `segment`: what was delivered and verified.

use sqlx::QueryBuilder;
use sqlx_macros::FromRow;

use super::qualities::GenerationKey;
use super::{Db, Tx, sql};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SegmentRow {
    pub position: i32,
    pub sha256: Vec<u8>,
    pub size: i64,
    pub start_ticks: i64,
    pub duration_ticks: i64,
    /// Of its own init segment, if that is not its quality's.
    pub init_sha256: Option<Vec<u8>>,
}

const COLUMNS: &str = "SELECT position, sha256, size, start_ticks, duration_ticks, init_sha256 FROM segment ";

pub async fn of_quality(db: &Db, key: GenerationKey, quality: &str) -> sqlx::Result<Vec<SegmentRow>> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new(COLUMNS);
        query.push("WHERE video_id = ").push_bind(key.video).push(" AND generation = ").push_bind(key.number);
        query.push(" AND quality = ").push_bind(quality).push(" ORDER BY position");
        query.build_query_as().fetch_all(pool).await
    })
}

/// The segments whose positions are from `first` to `last`.
pub async fn in_range(
    tx: &mut Tx,
    key: GenerationKey,
    quality: &str,
    first: i32,
    last: i32,
) -> sqlx::Result<Vec<SegmentRow>> {
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new(COLUMNS);
        query.push("WHERE video_id = ").push_bind(key.video).push(" AND generation = ").push_bind(key.number);
        query.push(" AND quality = ").push_bind(quality).push(" AND position BETWEEN ").push_bind(first);
        query.push(" AND ").push_bind(last).push(" ORDER BY position");
        query.build_query_as().fetch_all(conn).await
    })
}

/// The bytes of all segments of a quality.
pub async fn total_size(tx: &mut Tx, key: GenerationKey, quality: &str) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT CAST(COALESCE(sum(size), 0) AS bigint) FROM segment \
         WHERE video_id = $1 AND generation = $2 AND quality = $3";
    sql!(tx, |conn| sqlx::query_scalar(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(quality)
        .fetch_one(conn)
        .await)
}

/// The digests of the init segments of a quality that are not the quality's own.
pub async fn other_inits(tx: &mut Tx, key: GenerationKey, quality: &str) -> sqlx::Result<Vec<Vec<u8>>> {
    const SQL: &str = "SELECT DISTINCT init_sha256 FROM segment \
         WHERE video_id = $1 AND generation = $2 AND quality = $3 AND init_sha256 IS NOT NULL";
    sql!(tx, |conn| sqlx::query_scalar(SQL)
        .bind(key.video)
        .bind(key.number)
        .bind(quality)
        .fetch_all(conn)
        .await)
}

/// Positions of every verified segment of a generation.
pub async fn positions(tx: &mut Tx, key: GenerationKey) -> sqlx::Result<Vec<(String, i32)>> {
    const SQL: &str = "SELECT quality, position FROM segment WHERE video_id = $1 AND generation = $2 ORDER BY quality, position";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(key.video).bind(key.number).fetch_all(conn).await)
}

/// Adds verified segments; one that is there already stays as it is.
pub async fn insert_missing(
    tx: &mut Tx,
    key: GenerationKey,
    quality: &str,
    segments: &[SegmentRow],
) -> sqlx::Result<()> {
    // SQLite and PostgreSQL both limit the number of bound values.
    for chunk in segments.chunks(500) {
        sql!(tx, |conn| {
            let mut query = QueryBuilder::new(
                "INSERT INTO segment (video_id, generation, quality, position, sha256, size, start_ticks, \
                 duration_ticks, init_sha256) ",
            );
            query.push_values(chunk, |mut row, segment| {
                row.push_bind(key.video).push_bind(key.number).push_bind(quality).push_bind(segment.position);
                row.push_bind(segment.sha256.as_slice()).push_bind(segment.size);
                row.push_bind(segment.start_ticks).push_bind(segment.duration_ticks);
                row.push_bind(segment.init_sha256.as_deref());
            });
            query.push(" ON CONFLICT DO NOTHING");
            query.build().execute(conn).await.map(drop)
        })?;
    }
    Ok(())
}
