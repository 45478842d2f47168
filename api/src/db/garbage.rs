//! Table `garbage`: storage prefixes that nothing refers to any more.

use chrono::{DateTime, Utc};
use sqlx::QueryBuilder;

use super::{Db, Tx, sql};

macro_rules! push_texts {
    ($query:expr, $texts:expr) => {{
        let mut list = $query.separated(", ");
        for text in $texts {
            list.push_bind(text.as_str());
        }
    }};
}

/// Written in the transaction that drops the last reference; the cleaner removes the objects later.
pub async fn add(tx: &mut Tx, prefix: &str, reason: &str, now: DateTime<Utc>) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO garbage (prefix, reason, created_at) VALUES ($1, $2, $3) ON CONFLICT (prefix) DO NOTHING";
    sql!(tx, |conn| sqlx::query(SQL).bind(prefix).bind(reason).bind(now).execute(conn).await.map(drop))
}

/// The same for what is still read by those who know of it.
pub async fn add_kept_until(
    tx: &mut Tx,
    prefix: &str,
    reason: &str,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO garbage (prefix, reason, created_at, keep_until) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (prefix) DO NOTHING";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(prefix)
        .bind(reason)
        .bind(now)
        .bind(until)
        .execute(conn)
        .await
        .map(drop))
}

/// What became garbage by `instant` and is not kept beyond `now`, oldest first.
pub async fn due(
    db: &Db,
    instant: DateTime<Utc>,
    now: DateTime<Utc>,
    limit: i64,
) -> sqlx::Result<Vec<String>> {
    const SQL: &str = "SELECT prefix FROM garbage WHERE created_at <= $1 \
         AND (keep_until IS NULL OR keep_until <= $2) ORDER BY created_at, prefix LIMIT $3";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(instant).bind(now).bind(limit).fetch_all(pool).await)
}

/// From now on its files go, and nobody can take them back. `false` if somebody did, or removed them already.
pub async fn begin_removal_if_due(tx: &mut Tx, prefix: &str, now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE garbage SET removing_since = $2 \
         WHERE prefix = $1 AND (keep_until IS NULL OR keep_until <= $2)";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(prefix)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Whether a prefix waits to be removed.
pub async fn is_known(db: &Db, prefix: &str) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM garbage WHERE prefix = $1";
    let found: i64 = sql!(db, |pool| sqlx::query_scalar(SQL).bind(prefix).fetch_one(pool).await)?;
    Ok(found == 1)
}

/// Those of these prefixes that wait to be removed.
pub async fn known(db: &Db, prefixes: &[String]) -> sqlx::Result<Vec<String>> {
    if prefixes.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT prefix FROM garbage WHERE prefix IN (");
        push_texts!(query, prefixes);
        query.push(")").build_query_scalar().fetch_all(pool).await
    })
}

/// Keeps files that are about to be referred to again.
pub async fn keep_unless_removing(
    tx: &mut Tx,
    prefixes: &[String],
    until: DateTime<Utc>,
) -> sqlx::Result<()> {
    if prefixes.is_empty() {
        return Ok(());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("UPDATE garbage SET keep_until = ");
        query.push_bind(until).push(" WHERE removing_since IS NULL AND (keep_until IS NULL OR keep_until < ");
        query.push_bind(until).push(") AND prefix IN (");
        push_texts!(query, prefixes);
        query.push(")").build().execute(conn).await.map(drop)
    })
}

/// Those of these prefixes whose files are going.
pub async fn removing(tx: &mut Tx, prefixes: &[String]) -> sqlx::Result<Vec<String>> {
    if prefixes.is_empty() {
        return Ok(Vec::new());
    }
    sql!(tx, |conn| {
        let mut query =
            QueryBuilder::new("SELECT prefix FROM garbage WHERE removing_since IS NOT NULL AND prefix IN (");
        push_texts!(query, prefixes);
        query.push(")").build_query_scalar().fetch_all(conn).await
    })
}

/// Something refers to these again.
pub async fn forget(tx: &mut Tx, prefixes: &[String]) -> sqlx::Result<()> {
    if prefixes.is_empty() {
        return Ok(());
    }
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("DELETE FROM garbage WHERE removing_since IS NULL AND prefix IN (");
        push_texts!(query, prefixes);
        query.push(")").build().execute(conn).await.map(drop)
    })
}

pub async fn remove(tx: &mut Tx, prefix: &str) -> sqlx::Result<()> {
    sql!(tx, |conn| sqlx::query("DELETE FROM garbage WHERE prefix = $1")
        .bind(prefix)
        .execute(conn)
        .await
        .map(drop))
}
