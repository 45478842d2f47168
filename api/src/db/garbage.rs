//! Table `garbage`: storage prefixes that nothing refers to any more.

use chrono::{DateTime, Utc};

use super::{Db, Tx, sql};

/// Written in the transaction that drops the last reference; the cleaner removes the objects later.
pub async fn add(tx: &mut Tx, prefix: &str, reason: &str, now: DateTime<Utc>) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO garbage (prefix, reason, created_at) VALUES ($1, $2, $3) ON CONFLICT (prefix) DO NOTHING";
    sql!(tx, |conn| sqlx::query(SQL).bind(prefix).bind(reason).bind(now).execute(conn).await.map(drop))
}

/// What became garbage by `instant`, oldest first.
pub async fn due(db: &Db, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<String>> {
    const SQL: &str =
        "SELECT prefix FROM garbage WHERE created_at <= $1 ORDER BY created_at, prefix LIMIT $2";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(instant).bind(limit).fetch_all(pool).await)
}

/// Whether a prefix waits to be removed.
pub async fn is_known(db: &Db, prefix: &str) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM garbage WHERE prefix = $1";
    let found: i64 = sql!(db, |pool| sqlx::query_scalar(SQL).bind(prefix).fetch_one(pool).await)?;
    Ok(found == 1)
}

pub async fn remove(tx: &mut Tx, prefix: &str) -> sqlx::Result<()> {
    sql!(tx, |conn| sqlx::query("DELETE FROM garbage WHERE prefix = $1")
        .bind(prefix)
        .execute(conn)
        .await
        .map(drop))
}
