//! Table `collection`: named groups of videos.

use chrono::{DateTime, Utc};
use framefarm_shared::id::CollectionId;
use sqlx::FromRow;

use super::{Db, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct CollectionRow {
    pub id: CollectionId,
    pub name: String,
    pub created_at: DateTime<Utc>,
}

/// The collection of this name, made if there is none.
pub async fn ensure(
    tx: &mut Tx,
    id: CollectionId,
    name: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<CollectionRow> {
    // A no-op update, because DO NOTHING would return no row.
    const SQL: &str = "INSERT INTO collection (id, name, created_at) VALUES ($1, $2, $3) \
         ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(name).bind(now).fetch_one(conn).await)
}

pub async fn by_name(db: &Db, name: &str) -> sqlx::Result<Option<CollectionRow>> {
    const SQL: &str = "SELECT * FROM collection WHERE name = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(name).fetch_optional(pool).await)
}

pub async fn all(db: &Db) -> sqlx::Result<Vec<CollectionRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM collection ORDER BY name").fetch_all(pool).await)
}

/// Removes a collection; its jobs go with it, its videos stay without one.
pub async fn delete(tx: &mut Tx, id: CollectionId) -> sqlx::Result<bool> {
    let done = sql!(tx, |conn| sqlx::query("DELETE FROM collection WHERE id = $1")
        .bind(id)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
