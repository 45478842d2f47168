//! What a database that was put back to an earlier state must not do again, and what a copy of one is asked.

use chrono::{DateTime, Utc};
use framefarm_shared::id::VideoId;

use super::job::JobRow;
use super::videos::VideoRow;
use super::{Db, Engine, Tx, sql};

/// Every job that is claimed.
pub async fn running(tx: &mut Tx) -> sqlx::Result<Vec<JobRow>> {
    const SQL: &str = "SELECT * FROM job WHERE status = 'running' ORDER BY number";
    sql!(tx, |conn| sqlx::query_as(SQL).fetch_all(conn).await)
}

/// Every fence becomes `base`, or grows by a million where it is above that already.
pub async fn raise_fences(tx: &mut Tx, base: i64) -> sqlx::Result<u64> {
    const SQL: &str = "UPDATE job SET fence = CASE WHEN fence < $1 THEN $1 ELSE fence + 1000000 END";
    sql!(tx, |conn| sqlx::query(SQL).bind(base).execute(conn).await.map(|d| d.rows_affected()))
}

/// The next event has a number above `base`, and a million above the newest one at least.
pub async fn raise_event_ids(tx: &mut Tx, base: i64) -> sqlx::Result<()> {
    match tx.engine() {
        Engine::Postgres(conn) => {
            const SQL: &str = "SELECT setval(pg_get_serial_sequence('event', 'id'), \
                 greatest($1, nextval(pg_get_serial_sequence('event', 'id')) + 1000000))";
            sqlx::query(SQL).bind(base).execute(conn).await.map(drop)
        }
        Engine::Sqlite(conn) => {
            const SQL: &str = "UPDATE sqlite_sequence SET seq = max($1, seq + 1000000) WHERE name = 'event'";
            sqlx::query(SQL).bind(base).execute(conn).await.map(drop)
        }
    }
}

/// The next job has a number that much above the newest one.
pub async fn skip_job_numbers(tx: &mut Tx, count: i32) -> sqlx::Result<()> {
    match tx.engine() {
        Engine::Postgres(conn) => {
            const SQL: &str = "SELECT setval(pg_get_serial_sequence('job', 'number'), \
                 nextval(pg_get_serial_sequence('job', 'number')) + $1)";
            sqlx::query(SQL).bind(count).execute(conn).await.map(drop)
        }
        Engine::Sqlite(conn) => {
            const SQL: &str = "UPDATE sqlite_sequence SET seq = seq + $1 WHERE name = 'job'";
            sqlx::query(SQL).bind(count).execute(conn).await.map(drop)
        }
    }
}

/// Uploads that are not whole. Returns how many.
pub async fn drop_open_uploads(tx: &mut Tx) -> sqlx::Result<u64> {
    const SQL: &str = "DELETE FROM upload WHERE status = 'open'";
    sql!(tx, |conn| sqlx::query(SQL).execute(conn).await.map(|d| d.rows_affected()))
}

pub async fn forget_leaders(tx: &mut Tx) -> sqlx::Result<()> {
    sql!(tx, |conn| sqlx::query("DELETE FROM leader").execute(conn).await.map(drop))
}

/// Whether an instance leads now, or did a moment ago.
pub async fn is_led(db: &Db, now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM leader WHERE until > $1";
    let found: i64 = sql!(db, |pool| sqlx::query_scalar(SQL).bind(now).fetch_one(pool).await)?;
    Ok(found > 0)
}

/// Videos in the order of their ids, deleted ones too.
pub async fn videos_after(db: &Db, after: VideoId, limit: i64) -> sqlx::Result<Vec<VideoRow>> {
    const SQL: &str = "SELECT * FROM video WHERE id > $1 ORDER BY id LIMIT $2";
    sql!(db, |pool| sqlx::query_as(SQL).bind(after).bind(limit).fetch_all(pool).await)
}

/// The number of the newest migration that ran.
pub async fn schema(db: &Db) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT max(version) FROM _sqlx_migrations";
    sql!(db, |pool| sqlx::query_scalar(SQL).fetch_one(pool).await)
}
