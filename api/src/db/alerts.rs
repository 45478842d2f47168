//! Tables `alert` and `alert_incident`: how often, what is held back, and what is not over.

use chrono::{DateTime, Utc};
use framefarm_shared::alert::AlertType;
use serde_json::Value;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct AlertRow {
    pub alert_type: AlertType,
    pub total: i64,
    pub last_at: Option<DateTime<Utc>>,
    pub last_text: Option<String>,
    pub last_sent_at: Option<DateTime<Utc>>,
    /// Held back since then.
    pub suppressed: i64,
    pub held_back: Option<Json<Value>>,
}

#[derive(Clone, Debug, FromRow)]
pub struct IncidentRow {
    pub alert_type: AlertType,
    pub subject: String,
    pub since: DateTime<Utc>,
    /// Its beginning was sent.
    pub told: bool,
    pub message: Json<Value>,
}

/// Types that ever happened.
pub async fn all(db: &Db) -> sqlx::Result<Vec<AlertRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM alert ORDER BY alert_type").fetch_all(pool).await)
}

/// Types that have something to tell that was held back, and have sent nothing since `since`.
pub async fn holding_back_since(db: &Db, since: DateTime<Utc>) -> sqlx::Result<Vec<AlertType>> {
    const SQL: &str = "SELECT alert_type FROM alert WHERE last_sent_at <= $1 AND (held_back IS NOT NULL \
         OR alert_type IN (SELECT alert_type FROM alert_incident WHERE told = FALSE)) ORDER BY alert_type";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(since).fetch_all(pool).await)
}

/// Holds the row to the end of the transaction.
pub async fn get_held(tx: &mut Tx, kind: AlertType) -> sqlx::Result<Option<AlertRow>> {
    const SQL: &str = "UPDATE alert SET total = total WHERE alert_type = $1 RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(kind).fetch_optional(conn).await)
}

/// Counts one, and holds the row to the end of the transaction. What was held back before it is in the row.
pub async fn count(tx: &mut Tx, kind: AlertType, text: &str, now: DateTime<Utc>) -> sqlx::Result<AlertRow> {
    const SQL: &str = "INSERT INTO alert (alert_type, total, last_at, last_text) VALUES ($1, 1, $2, $3) \
         ON CONFLICT (alert_type) DO UPDATE SET total = alert.total + 1, last_at = excluded.last_at, \
         last_text = excluded.last_text RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(kind).bind(now).bind(text).fetch_one(conn).await)
}

/// Begins the cool-down, if nothing was sent since `since`; of two instances only one succeeds.
pub async fn send_if_quiet_since(
    tx: &mut Tx,
    kind: AlertType,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE alert SET last_sent_at = $3, suppressed = 0, held_back = NULL \
         WHERE alert_type = $1 AND (last_sent_at IS NULL OR last_sent_at <= $2)";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(kind)
        .bind(since)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Counts one more; a message is told when the cool-down is over, whatever happens until then.
pub async fn hold_back(tx: &mut Tx, kind: AlertType, message: Option<&Value>) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE alert SET suppressed = suppressed + 1, held_back = $2 WHERE alert_type = $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(kind).bind(message.map(Json)).execute(conn).await.map(drop))
}

pub async fn incidents(db: &Db) -> sqlx::Result<Vec<IncidentRow>> {
    const SQL: &str = "SELECT * FROM alert_incident ORDER BY alert_type, since, subject LIMIT 1000";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

/// `false` if it is going on already.
pub async fn begin_unless_going_on(
    tx: &mut Tx,
    kind: AlertType,
    subject: &str,
    message: &Value,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = "INSERT INTO alert_incident (alert_type, subject, since, told, message) \
         VALUES ($1, $2, $3, FALSE, $4) ON CONFLICT (alert_type, subject) DO NOTHING";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(kind)
        .bind(subject)
        .bind(now)
        .bind(Json(message))
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Its beginning has been sent.
pub async fn mark_told(tx: &mut Tx, kind: AlertType, subject: &str) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE alert_incident SET told = TRUE WHERE alert_type = $1 AND subject = $2";
    sql!(tx, |conn| sqlx::query(SQL).bind(kind).bind(subject).execute(conn).await.map(drop))
}

/// Those of a type whose beginning was not sent, the oldest first.
pub async fn untold(tx: &mut Tx, kind: AlertType) -> sqlx::Result<Vec<IncidentRow>> {
    const SQL: &str =
        "SELECT * FROM alert_incident WHERE alert_type = $1 AND told = FALSE ORDER BY since, subject";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(kind).fetch_all(conn).await)
}

/// The incident that is over, or `None` if none was going on.
pub async fn end_if_going_on(
    tx: &mut Tx,
    kind: AlertType,
    subject: &str,
) -> sqlx::Result<Option<IncidentRow>> {
    const SQL: &str = "DELETE FROM alert_incident WHERE alert_type = $1 AND subject = $2 RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(kind).bind(subject).fetch_optional(conn).await)
}

/// Subjects of a type that go on; the first hundred.
pub async fn subjects(db: &Db, kind: AlertType) -> sqlx::Result<Vec<String>> {
    const SQL: &str = "SELECT subject FROM alert_incident WHERE alert_type = $1 ORDER BY subject LIMIT 100";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(kind).fetch_all(pool).await)
}

/// Those that begin so.
pub async fn subjects_below(tx: &mut Tx, kind: AlertType, prefix: &str) -> sqlx::Result<Vec<String>> {
    const SQL: &str = "SELECT subject FROM alert_incident WHERE alert_type = $1 \
         AND substr(subject, 1, length($2)) = $2 ORDER BY subject";
    sql!(tx, |conn| sqlx::query_scalar(SQL).bind(kind).bind(prefix).fetch_all(conn).await)
}
