//! Table `video`: whether its original is still there.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{CollectionId, VideoId};
use sqlx::QueryBuilder;

use super::{Db, Engine, Tx, sql};

/// Whose rule it is: one collection's, or the farm's for all that have none of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Collection(CollectionId),
    Others,
}

/// Ready videos whose original may go: ready since `ready_by`, and nothing is to be done with them. Oldest first, with the
/// size of the original.
pub async fn due(
    db: &Db,
    whose: Whose,
    ready_by: DateTime<Utc>,
    limit: i64,
) -> sqlx::Result<Vec<(VideoId, i64)>> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new(
            "SELECT id, source_size FROM video WHERE status = 'ready' AND deleted_at IS NULL \
             AND source_deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM job WHERE job.video_id = video.id \
             AND job.status IN ('pending', 'running')) AND ready_at <= ",
        );
        query.push_bind(ready_by);
        match whose {
            Whose::Collection(id) => query.push(" AND collection_id = ").push_bind(id),
            Whose::Others => query.push(
                " AND (collection_id IS NULL OR collection_id NOT IN \
                 (SELECT id FROM collection WHERE source_retention IS NOT NULL))",
            ),
        };
        query.push(" ORDER BY ready_at, id LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(pool).await
    })
}

/// Gives the original up, if the video is still ready since then and nothing is to be done with it.
pub async fn give_up_if_unneeded(
    tx: &mut Tx,
    id: VideoId,
    ready_by: DateTime<Utc>,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE video SET source_deleted_at = $3 WHERE id = $1 AND status = 'ready' \
         AND deleted_at IS NULL AND source_deleted_at IS NULL AND ready_at <= $2 \
         AND NOT EXISTS (SELECT 1 FROM job WHERE video_id = $1 AND status IN ('pending', 'running'))";
    // First the row, then the look at its jobs: a statement that waits for a row sees other tables as they were before
    // it waited. A new job holds the row too, by its reference to it, and one that is retried by `hold_if_kept`.
    if let Engine::Postgres(conn) = tx.engine() {
        sqlx::query("SELECT 1 FROM video WHERE id = $1 FOR UPDATE").bind(id).execute(conn).await?;
    }
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(ready_by)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Holds the video to the end of the transaction if it and its original are there, so that they stay. To be called by
/// everybody who makes a job of the video live.
pub async fn hold_if_kept(tx: &mut Tx, id: VideoId) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE video SET status = status WHERE id = $1 AND source_deleted_at IS NULL \
         AND deleted_at IS NULL";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
