//! Table `collection`: named groups of videos, each with rules of its own if it has any.

use chrono::{DateTime, Utc};
use framefarm_shared::id::CollectionId;
use framefarm_shared::state::JobStatus;
use sqlx_macros::FromRow;

use super::{Db, Engine, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct CollectionRow {
    pub id: CollectionId,
    pub name: String,
    pub created_at: DateTime<Utc>,
    /// Written as the setting `ladder`; the farm's if there is none.
    pub ladder: Option<String>,
    /// Of jobs whose uploader names none.
    pub priority: i32,
    /// The farm's setting if there is none.
    pub completed_retention_days: Option<i32>,
    /// Written as `SourceRetention`; the farm's setting if there is none.
    pub source_retention: Option<String>,
}

impl CollectionRow {
    pub fn rules(&self) -> Rules {
        Rules {
            ladder: self.ladder.clone(),
            priority: self.priority,
            completed_retention_days: self.completed_retention_days,
            source_retention: self.source_retention.clone(),
        }
    }
}

/// What a collection may have of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub ladder: Option<String>,
    pub priority: i32,
    pub completed_retention_days: Option<i32>,
    pub source_retention: Option<String>,
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

/// `None` if the name is taken.
pub async fn insert_if_free(
    tx: &mut Tx,
    id: CollectionId,
    name: &str,
    rules: &Rules,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<CollectionRow>> {
    const SQL: &str = "INSERT INTO collection \
         (id, name, created_at, ladder, priority, completed_retention_days, source_retention) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(id)
        .bind(name)
        .bind(now)
        .bind(&rules.ladder)
        .bind(rules.priority)
        .bind(rules.completed_retention_days)
        .bind(&rules.source_retention)
        .fetch_optional(conn)
        .await)
}

pub async fn set_rules(tx: &mut Tx, id: CollectionId, rules: &Rules) -> sqlx::Result<Option<CollectionRow>> {
    const SQL: &str = "UPDATE collection SET ladder = $2, priority = $3, completed_retention_days = $4, \
         source_retention = $5 WHERE id = $1 RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(id)
        .bind(&rules.ladder)
        .bind(rules.priority)
        .bind(rules.completed_retention_days)
        .bind(&rules.source_retention)
        .fetch_optional(conn)
        .await)
}

pub async fn by_name(db: &Db, name: &str) -> sqlx::Result<Option<CollectionRow>> {
    const SQL: &str = "SELECT * FROM collection WHERE name = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(name).fetch_optional(pool).await)
}

pub async fn by_name_in(tx: &mut Tx, name: &str) -> sqlx::Result<Option<CollectionRow>> {
    const SQL: &str = "SELECT * FROM collection WHERE name = $1";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(name).fetch_optional(conn).await)
}

/// Holds the collection to the end of the transaction: nothing is put into it meanwhile.
pub async fn lock_by_name(tx: &mut Tx, name: &str) -> sqlx::Result<Option<CollectionRow>> {
    const TEXT: &str = "SELECT * FROM collection WHERE name = $1";
    const LOCKING: &str = "SELECT * FROM collection WHERE name = $1 FOR UPDATE";
    match tx.engine() {
        Engine::Postgres(conn) => sqlx::query_as(LOCKING).bind(name).fetch_optional(conn).await,
        Engine::Sqlite(conn) => sqlx::query_as(TEXT).bind(name).fetch_optional(conn).await,
    }
}

pub async fn get_in(tx: &mut Tx, id: CollectionId) -> sqlx::Result<Option<CollectionRow>> {
    const SQL: &str = "SELECT * FROM collection WHERE id = $1";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).fetch_optional(conn).await)
}

pub async fn all(db: &Db) -> sqlx::Result<Vec<CollectionRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM collection ORDER BY name").fetch_all(pool).await)
}

/// Videos that are not deleted, by collection.
pub async fn video_counts(db: &Db) -> sqlx::Result<Vec<(CollectionId, i64)>> {
    const SQL: &str = "SELECT collection_id, count(*) FROM video \
         WHERE collection_id IS NOT NULL AND deleted_at IS NULL GROUP BY collection_id";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

/// Jobs by collection and status.
pub async fn job_counts(db: &Db) -> sqlx::Result<Vec<(CollectionId, JobStatus, i64)>> {
    const SQL: &str = "SELECT collection_id, status, count(*) FROM job \
         WHERE collection_id IS NOT NULL GROUP BY collection_id, status";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

/// Its jobs stay when it goes. How many there were.
pub async fn let_jobs_go(tx: &mut Tx, id: CollectionId) -> sqlx::Result<u64> {
    const SQL: &str = "UPDATE job SET collection_id = NULL WHERE collection_id = $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))
}

/// Removes a collection; jobs that are still in it go with it, its videos stay without one.
pub async fn delete(tx: &mut Tx, id: CollectionId) -> sqlx::Result<bool> {
    let done = sql!(tx, |conn| sqlx::query("DELETE FROM collection WHERE id = $1")
        .bind(id)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
