//! Tables `alert_delivery` and `alert_attempt`: the outbox of alerts and the log of what was sent.

use chrono::{DateTime, Utc};
use framefarm_shared::alert::{AlertType, DeliveryStatus};
use framefarm_shared::id::{DeliveryId, EndpointId};
use serde_json::Value;
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct DeliveryRow {
    pub number: i64,
    pub id: DeliveryId,
    /// Stays the same when it is sent again.
    pub webhook_id: DeliveryId,
    pub endpoint_id: EndpointId,
    /// NULL for a test.
    pub alert_type: Option<AlertType>,
    pub message: Json<Value>,
    pub status: DeliveryStatus,
    pub attempts: i32,
    /// Not before this; NULL when it ended.
    pub next_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    pub replay_of: Option<DeliveryId>,
}

pub struct NewDelivery<'a> {
    pub id: DeliveryId,
    pub webhook_id: DeliveryId,
    pub endpoint: EndpointId,
    pub alert_type: Option<AlertType>,
    pub message: &'a Value,
    pub next_at: DateTime<Utc>,
    pub replay_of: Option<DeliveryId>,
}

#[derive(Clone, Debug, FromRow)]
pub struct AttemptRow {
    pub delivery_id: DeliveryId,
    pub number: i32,
    pub at: DateTime<Utc>,
    pub duration_ms: i64,
    /// NULL without an answer.
    pub status_code: Option<i32>,
    /// NULL if it was delivered.
    pub error: Option<String>,
}

pub async fn insert(tx: &mut Tx, new: &NewDelivery<'_>, now: DateTime<Utc>) -> sqlx::Result<DeliveryRow> {
    const SQL: &str = "INSERT INTO alert_delivery (id, webhook_id, endpoint_id, alert_type, message, status, next_at, \
         created_at, replay_of) VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8) RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(new.id)
        .bind(new.webhook_id)
        .bind(new.endpoint)
        .bind(new.alert_type)
        .bind(Json(new.message))
        .bind(new.next_at)
        .bind(now)
        .bind(new.replay_of)
        .fetch_one(conn)
        .await)
}

/// The oldest that is due at an endpoint.
pub async fn next_due(
    tx: &mut Tx,
    endpoint: EndpointId,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<DeliveryRow>> {
    const SQL: &str = "SELECT * FROM alert_delivery WHERE endpoint_id = $1 AND status = 'pending' AND next_at <= $2 \
         ORDER BY number LIMIT 1";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(endpoint).bind(now).fetch_optional(conn).await)
}

/// What one try made of it.
pub struct Tried {
    pub id: DeliveryId,
    /// Tries before this one; if there were more meanwhile, somebody else was quicker.
    pub after: i32,
    pub status: DeliveryStatus,
    pub next_at: Option<DateTime<Utc>>,
    pub now: DateTime<Utc>,
}

/// `false` if it ended or was tried meanwhile; then nothing changed.
pub async fn tried_if_unchanged(tx: &mut Tx, tried: &Tried) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE alert_delivery SET attempts = attempts + 1, status = $3, next_at = $4, \
         finished_at = $5 WHERE id = $1 AND attempts = $2 AND status = 'pending'";
    let finished = (tried.status != DeliveryStatus::Pending).then_some(tried.now);
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(tried.id)
        .bind(tried.after)
        .bind(tried.status)
        .bind(tried.next_at)
        .bind(finished)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn add_attempt(tx: &mut Tx, row: &AttemptRow) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO alert_attempt (delivery_id, number, at, duration_ms, status_code, error) \
         VALUES ($1, $2, $3, $4, $5, $6)";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(row.delivery_id)
        .bind(row.number)
        .bind(row.at)
        .bind(row.duration_ms)
        .bind(row.status_code)
        .bind(&row.error)
        .execute(conn)
        .await
        .map(drop))
}

/// Gives up what waits for this endpoint.
pub async fn fail_pending_of(tx: &mut Tx, endpoint: EndpointId, now: DateTime<Utc>) -> sqlx::Result<u64> {
    const SQL: &str = "UPDATE alert_delivery SET status = 'failed', next_at = NULL, finished_at = $2 \
         WHERE endpoint_id = $1 AND status = 'pending'";
    sql!(tx, |conn| sqlx::query(SQL).bind(endpoint).bind(now).execute(conn).await.map(|d| d.rows_affected()))
}

/// Whether anything waits since before `instant`.
pub async fn any_pending_before(db: &Db, instant: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str =
        "SELECT EXISTS (SELECT 1 FROM alert_delivery WHERE status = 'pending' AND created_at < $1)";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(instant).fetch_one(pool).await)
}

/// Gives up what waits since before `instant`.
pub async fn fail_pending_before(
    tx: &mut Tx,
    instant: DateTime<Utc>,
    now: DateTime<Utc>,
) -> sqlx::Result<u64> {
    const SQL: &str = "UPDATE alert_delivery SET status = 'failed', next_at = NULL, finished_at = $2 \
         WHERE status = 'pending' AND created_at < $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(instant).bind(now).execute(conn).await.map(|d| d.rows_affected()))
}

pub async fn get(db: &Db, id: DeliveryId) -> sqlx::Result<Option<DeliveryRow>> {
    const SQL: &str = "SELECT * FROM alert_delivery WHERE id = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(id).fetch_optional(pool).await)
}

#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter {
    pub endpoint: Option<EndpointId>,
    pub status: Option<DeliveryStatus>,
}

/// Newest first; `before` is the number of the last one of the page before.
pub async fn list(
    db: &Db,
    filter: DeliveryFilter,
    before: Option<i64>,
    limit: i64,
) -> sqlx::Result<Vec<DeliveryRow>> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM alert_delivery WHERE number < ");
        query.push_bind(before.unwrap_or(i64::MAX));
        if let Some(endpoint) = filter.endpoint {
            query.push(" AND endpoint_id = ").push_bind(endpoint);
        }
        if let Some(status) = filter.status {
            query.push(" AND status = ").push_bind(status);
        }
        query.push(" ORDER BY number DESC LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(pool).await
    })
}

/// Every try of these, in order.
pub async fn attempts_of(db: &Db, deliveries: &[DeliveryId]) -> sqlx::Result<Vec<AttemptRow>> {
    if deliveries.is_empty() {
        return Ok(Vec::new());
    }
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM alert_attempt WHERE delivery_id IN (");
        super::push_list!(query, deliveries);
        query.push(") ORDER BY delivery_id, number");
        query.build_query_as().fetch_all(pool).await
    })
}

pub async fn count_finished_before(db: &Db, instant: DateTime<Utc>) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT count(*) FROM alert_delivery WHERE finished_at < $1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(instant).fetch_one(pool).await)
}

/// Removes deliveries that ended before `instant`, in one batch. Returns how many.
pub async fn delete_finished_before(tx: &mut Tx, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<u64> {
    const SQL: &str = "DELETE FROM alert_delivery WHERE number IN \
         (SELECT number FROM alert_delivery WHERE finished_at < $1 ORDER BY number LIMIT $2)";
    sql!(tx, |conn| sqlx::query(SQL).bind(instant).bind(limit).execute(conn).await.map(|d| d.rows_affected()))
}
