//! Tables `api_token` and `session`: hashes of what the admin side presents.

use chrono::{DateTime, Utc};
use framefarm_shared::id::TokenId;
use sqlx_macros::FromRow;

use super::{Db, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct TokenRow {
    pub id: TokenId,
    pub name: String,
    pub scope: String,
    pub token_hash: Vec<u8>,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
    pub expires_at: Option<DateTime<Utc>>,
    pub collection: Option<String>,
}

pub async fn insert_token(tx: &mut Tx, token: &TokenRow) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO api_token (id, name, scope, token_hash, created_at, expires_at, collection) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(token.id)
        .bind(&token.name)
        .bind(&token.scope)
        .bind(&token.token_hash)
        .bind(token.created_at)
        .bind(token.expires_at)
        .bind(&token.collection)
        .execute(conn)
        .await
        .map(drop))
}

pub async fn token_by_hash(db: &Db, hash: &[u8]) -> sqlx::Result<Option<TokenRow>> {
    const SQL: &str = "SELECT * FROM api_token WHERE token_hash = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(hash).fetch_optional(pool).await)
}

pub async fn tokens(db: &Db) -> sqlx::Result<Vec<TokenRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM api_token ORDER BY id").fetch_all(pool).await)
}

/// The token that was deleted.
pub async fn delete_token(tx: &mut Tx, id: TokenId) -> sqlx::Result<Option<TokenRow>> {
    const SQL: &str = "DELETE FROM api_token WHERE id = $1 RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).fetch_optional(conn).await)
}

/// Notes the use of a token, at most about once a minute so that reads do not become writes.
pub async fn touch_token(
    tx: &mut Tx,
    id: TokenId,
    now: DateTime<Utc>,
    unless_since: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE api_token SET last_used_at = $2 \
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(now).bind(unless_since).execute(conn).await.map(drop))
}

pub async fn insert_session(
    tx: &mut Tx,
    hash: &[u8],
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO session (token_hash, created_at, expires_at) VALUES ($1, $2, $3)";
    sql!(tx, |conn| sqlx::query(SQL).bind(hash).bind(now).bind(expires_at).execute(conn).await.map(drop))
}

pub async fn session_is_live(db: &Db, hash: &[u8], now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM session WHERE token_hash = $1 AND expires_at > $2";
    let count: i64 = sql!(db, |pool| sqlx::query_scalar(SQL).bind(hash).bind(now).fetch_one(pool).await)?;
    Ok(count == 1)
}

pub async fn delete_session(tx: &mut Tx, hash: &[u8]) -> sqlx::Result<()> {
    sql!(tx, |conn| sqlx::query("DELETE FROM session WHERE token_hash = $1")
        .bind(hash)
        .execute(conn)
        .await
        .map(drop))
}

pub async fn delete_all_sessions(tx: &mut Tx) -> sqlx::Result<()> {
    sql!(tx, |conn| sqlx::query("DELETE FROM session").execute(conn).await.map(drop))
}

pub async fn delete_expired_sessions(tx: &mut Tx, now: DateTime<Utc>) -> sqlx::Result<u64> {
    const SQL: &str = "DELETE FROM session WHERE expires_at <= $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(now).execute(conn).await.map(|d| d.rows_affected()))
}
