//! Table `invitation`: one-time permissions to register a worker.

use chrono::{DateTime, Utc};

use super::{Db, Tx, sql};

pub async fn insert(
    tx: &mut Tx,
    hash: &[u8],
    now: DateTime<Utc>,
    expires: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO invitation (token_hash, created_at, expires_at) VALUES ($1, $2, $3)";
    sql!(tx, |conn| sqlx::query(SQL).bind(hash).bind(now).bind(expires).execute(conn).await.map(drop))
}

/// `true` once: for the first who comes in time.
pub async fn use_if_open(tx: &mut Tx, hash: &[u8], now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str =
        "UPDATE invitation SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(hash)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Whether it was used, if it is known at all.
pub async fn was_used(db: &Db, hash: &[u8]) -> sqlx::Result<Option<bool>> {
    const SQL: &str = "SELECT used_at IS NOT NULL FROM invitation WHERE token_hash = $1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(hash).fetch_optional(pool).await)
}

pub async fn delete_expired(tx: &mut Tx, instant: DateTime<Utc>) -> sqlx::Result<u64> {
    const SQL: &str = "DELETE FROM invitation WHERE expires_at < $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(instant).execute(conn).await.map(|d| d.rows_affected()))
}
