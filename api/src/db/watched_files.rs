//! Table `watched_file`: what was taken out of the watch folder.

use chrono::{DateTime, Utc};
use framefarm_shared::id::IntakeId;
use framefarm_shared::intake::WatchedState;
use sqlx_macros::FromRow;

use super::{Db, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct WatchedRow {
    /// Below the watch folder.
    pub path: String,
    pub size: i64,
    /// When the file was last changed, in nanoseconds since 1970.
    pub changed_ns: i64,
    pub state: WatchedState,
    pub intake_id: IntakeId,
    pub error: Option<String>,
    pub taken_at: DateTime<Utc>,
}

/// One look at a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a> {
    pub path: &'a str,
    pub size: i64,
    pub changed_ns: i64,
}

/// Whether this version of the file was taken now: not if it was before, by whomever, nor while another version of it
/// is on its way.
pub async fn take_if_new(
    tx: &mut Tx,
    seen: Seen<'_>,
    intake: IntakeId,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = "INSERT INTO watched_file (path, size, changed_ns, state, intake_id, taken_at) \
         VALUES ($1, $2, $3, 'taken', $4, $5) ON CONFLICT (path) DO UPDATE SET size = excluded.size, \
         changed_ns = excluded.changed_ns, state = 'taken', intake_id = excluded.intake_id, error = NULL, \
         taken_at = excluded.taken_at WHERE watched_file.state <> 'taken' \
         AND (watched_file.size <> excluded.size OR watched_file.changed_ns <> excluded.changed_ns)";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(seen.path)
        .bind(seen.size)
        .bind(seen.changed_ns)
        .bind(intake)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn get(db: &Db, path: &str) -> sqlx::Result<Option<WatchedRow>> {
    const SQL: &str = "SELECT * FROM watched_file WHERE path = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(path).fetch_optional(pool).await)
}

pub async fn of_intake(db: &Db, intake: IntakeId) -> sqlx::Result<Option<WatchedRow>> {
    const SQL: &str = "SELECT * FROM watched_file WHERE intake_id = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(intake).fetch_optional(pool).await)
}

/// What became of it, told with the end of its intake.
pub async fn settle(
    tx: &mut Tx,
    intake: IntakeId,
    state: WatchedState,
    error: Option<&str>,
) -> sqlx::Result<bool> {
    const SQL: &str =
        "UPDATE watched_file SET state = $2, error = $3 WHERE intake_id = $1 AND state = 'taken'";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(intake)
        .bind(state)
        .bind(error)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// It is to be tried again where it lies.
pub async fn take_again_if_failed(tx: &mut Tx, intake: IntakeId) -> sqlx::Result<bool> {
    const SQL: &str =
        "UPDATE watched_file SET state = 'taken', error = NULL WHERE intake_id = $1 AND state = 'failed'";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(intake).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Files whose end is known and that are still to be put away, the oldest first.
pub async fn settled(db: &Db, limit: i64) -> sqlx::Result<Vec<WatchedRow>> {
    const SQL: &str =
        "SELECT * FROM watched_file WHERE state IN ('done', 'failed') ORDER BY taken_at, path LIMIT $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(limit).fetch_all(pool).await)
}

/// The file is gone, or another one: what lies there now may be taken.
pub async fn forget(tx: &mut Tx, intake: IntakeId) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM watched_file WHERE intake_id = $1";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(intake).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
