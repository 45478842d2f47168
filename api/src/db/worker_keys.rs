//! Table `worker_api_key`: hashes of the keys workers present.

use chrono::{DateTime, Utc};
use framefarm_shared::id::WorkerId;
use framefarm_shared::state::WorkerStatus;
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::{Db, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct KeyRow {
    pub id: Uuid,
    pub worker_id: WorkerId,
    pub key_hash: Vec<u8>,
    pub key_prefix: String,
    pub hash_version: i32,
    pub created_at: DateTime<Utc>,
    pub revoked_at: Option<DateTime<Utc>>,
}

pub async fn insert(tx: &mut Tx, key: &KeyRow) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO worker_api_key (id, worker_id, key_hash, key_prefix, hash_version, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(key.id)
        .bind(key.worker_id)
        .bind(&key.key_hash)
        .bind(&key.key_prefix)
        .bind(key.hash_version)
        .bind(key.created_at)
        .execute(conn)
        .await
        .map(drop))
}

/// A key with whose it is.
#[derive(Clone, Debug, FromRow)]
pub struct Candidate {
    #[sqlx(flatten)]
    pub key: KeyRow,
    pub name: String,
    pub status: WorkerStatus,
}

/// Every key that may match; several may share a prefix.
pub async fn candidates(db: &Db, prefix: &str) -> sqlx::Result<Vec<Candidate>> {
    const SQL: &str = "SELECT k.*, w.name, w.status FROM worker_api_key k JOIN worker w ON w.id = k.worker_id \
         WHERE k.key_prefix = $1 AND k.revoked_at IS NULL";
    sql!(db, |pool| sqlx::query_as(SQL).bind(prefix).fetch_all(pool).await)
}

/// Ends every key of a worker. Returns how many were alive.
pub async fn revoke_all(tx: &mut Tx, worker: WorkerId, now: DateTime<Utc>) -> sqlx::Result<u64> {
    const SQL: &str = "UPDATE worker_api_key SET revoked_at = $2 WHERE worker_id = $1 AND revoked_at IS NULL";
    sql!(tx, |conn| sqlx::query(SQL).bind(worker).bind(now).execute(conn).await.map(|d| d.rows_affected()))
}

/// Whether the key was not revoked.
pub async fn is_live(db: &Db, id: Uuid) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM worker_api_key WHERE id = $1 AND revoked_at IS NULL";
    let count: i64 = sql!(db, |pool| sqlx::query_scalar(SQL).bind(id).fetch_one(pool).await)?;
    Ok(count == 1)
}
