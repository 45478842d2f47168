//! Table `alert_endpoint`: where alerts go, and how that went of late.

use chrono::{DateTime, Utc};
use framefarm_shared::alert::{AlertType, EndpointKind};
use framefarm_shared::id::{BootId, EndpointId};
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, Tx, sql};

#[derive(Clone, FromRow)]
pub struct EndpointRow {
    pub id: EndpointId,
    pub name: String,
    pub kind: EndpointKind,
    /// A secret: whoever knows it can write to the channel.
    pub url: String,
    pub secret: Option<String>,
    pub old_secret: Option<String>,
    pub old_secret_until: Option<DateTime<Utc>>,
    /// As words: another version may know more of them.
    pub alert_types: Json<Vec<String>>,
    pub enabled: bool,
    pub disabled_reason: Option<String>,
    pub from_settings: bool,
    pub created_at: DateTime<Utc>,
    /// Failed tries in a row.
    pub failures: i32,
    pub paused_until: Option<DateTime<Utc>>,
    pub last_success_at: Option<DateTime<Utc>>,
    pub last_failure_at: Option<DateTime<Utc>>,
    pub last_error: Option<String>,
    pub held_by: Option<BootId>,
    pub held_until: Option<DateTime<Utc>>,
}

impl std::fmt::Debug for EndpointRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EndpointRow").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

pub struct NewEndpoint {
    pub id: EndpointId,
    pub name: String,
    pub kind: EndpointKind,
    pub url: String,
    pub secret: Option<String>,
    pub alert_types: Vec<AlertType>,
    pub enabled: bool,
    pub from_settings: bool,
}

/// Adds one, or makes the one with this id like it; the log of its deliveries stays.
pub async fn put(tx: &mut Tx, new: &NewEndpoint, now: DateTime<Utc>) -> sqlx::Result<EndpointRow> {
    const SQL: &str = "INSERT INTO alert_endpoint (id, name, kind, url, secret, alert_types, enabled, from_settings, \
         created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO UPDATE SET \
         name = excluded.name, kind = excluded.kind, url = excluded.url, secret = excluded.secret, \
         alert_types = excluded.alert_types, enabled = excluded.enabled, disabled_reason = NULL, failures = 0, \
         paused_until = NULL RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(new.id)
        .bind(&new.name)
        .bind(new.kind)
        .bind(&new.url)
        .bind(&new.secret)
        .bind(Json(&new.alert_types))
        .bind(new.enabled)
        .bind(new.from_settings)
        .bind(now)
        .fetch_one(conn)
        .await)
}

pub async fn all(db: &Db) -> sqlx::Result<Vec<EndpointRow>> {
    const SQL: &str = "SELECT * FROM alert_endpoint ORDER BY created_at, id";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}

pub async fn enabled_in(tx: &mut Tx) -> sqlx::Result<Vec<EndpointRow>> {
    const SQL: &str = "SELECT * FROM alert_endpoint WHERE enabled ORDER BY created_at, id";
    sql!(tx, |conn| sqlx::query_as(SQL).fetch_all(conn).await)
}

pub async fn get(db: &Db, id: EndpointId) -> sqlx::Result<Option<EndpointRow>> {
    const SQL: &str = "SELECT * FROM alert_endpoint WHERE id = $1";
    sql!(db, |pool| sqlx::query_as(SQL).bind(id).fetch_optional(pool).await)
}

/// What an admin changes; `None` stays as it is.
#[derive(Default)]
pub struct Change {
    pub name: Option<String>,
    pub url: Option<String>,
    pub alert_types: Option<Vec<AlertType>>,
    pub enabled: Option<bool>,
}

/// A new URL, and switching it on, forget what went wrong before.
pub async fn change_unless_from_settings(
    tx: &mut Tx,
    id: EndpointId,
    change: &Change,
) -> sqlx::Result<Option<EndpointRow>> {
    const SQL: &str = "UPDATE alert_endpoint SET name = COALESCE($2, name), url = COALESCE($3, url), \
         alert_types = COALESCE($4, alert_types), enabled = COALESCE($5, enabled), \
         disabled_reason = CASE WHEN $5 IS NULL THEN disabled_reason ELSE NULL END, \
         failures = CASE WHEN $3 IS NULL AND $5 IS NULL THEN failures ELSE 0 END, \
         paused_until = CASE WHEN $3 IS NULL AND $5 IS NULL THEN paused_until ELSE NULL END \
         WHERE id = $1 AND NOT from_settings RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(id)
        .bind(&change.name)
        .bind(&change.url)
        .bind(change.alert_types.as_ref().map(Json))
        .bind(change.enabled)
        .fetch_optional(conn)
        .await)
}

pub async fn delete_unless_from_settings(tx: &mut Tx, id: EndpointId) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM alert_endpoint WHERE id = $1 AND NOT from_settings";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// The one that the settings named and name no more.
pub async fn delete_from_settings(tx: &mut Tx) -> sqlx::Result<u64> {
    const SQL: &str = "DELETE FROM alert_endpoint WHERE from_settings";
    sql!(tx, |conn| sqlx::query(SQL).execute(conn).await.map(|d| d.rows_affected()))
}

/// Puts a new secret beside the old one. `None` if it has none, or the settings have it.
pub async fn rotate_if_signed(
    tx: &mut Tx,
    id: EndpointId,
    secret: &str,
    old_until: DateTime<Utc>,
) -> sqlx::Result<Option<EndpointRow>> {
    const SQL: &str = "UPDATE alert_endpoint SET old_secret = secret, old_secret_until = $3, secret = $2 \
         WHERE id = $1 AND secret IS NOT NULL AND NOT from_settings RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(secret).bind(old_until).fetch_optional(conn).await)
}

/// Endpoints to which something can be sent now.
pub async fn with_due(db: &Db, now: DateTime<Utc>) -> sqlx::Result<Vec<EndpointId>> {
    const SQL: &str = "SELECT e.id FROM alert_endpoint e WHERE e.enabled \
         AND (e.held_until IS NULL OR e.held_until <= $1) AND (e.paused_until IS NULL OR e.paused_until <= $1) \
         AND EXISTS (SELECT 1 FROM alert_delivery d WHERE d.endpoint_id = e.id AND d.status = 'pending' \
             AND d.next_at <= $1) ORDER BY e.id";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(now).fetch_all(pool).await)
}

/// Only the holder sends to it until then.
pub async fn hold_if_free_or_mine(
    tx: &mut Tx,
    id: EndpointId,
    instance: BootId,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<Option<EndpointRow>> {
    const SQL: &str = "UPDATE alert_endpoint SET held_by = $2, held_until = $4 WHERE id = $1 AND enabled \
         AND (held_until IS NULL OR held_until <= $3 OR held_by = $2) \
         AND (paused_until IS NULL OR paused_until <= $3) RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(id)
        .bind(instance)
        .bind(now)
        .bind(until)
        .fetch_optional(conn)
        .await)
}

pub async fn let_go_if_mine(tx: &mut Tx, id: EndpointId, instance: BootId) -> sqlx::Result<()> {
    const SQL: &str =
        "UPDATE alert_endpoint SET held_by = NULL, held_until = NULL WHERE id = $1 AND held_by = $2";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(instance).execute(conn).await.map(drop))
}

pub async fn note_success(tx: &mut Tx, id: EndpointId, now: DateTime<Utc>) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE alert_endpoint SET failures = 0, paused_until = NULL, last_success_at = $2 \
         WHERE id = $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(now).execute(conn).await.map(drop))
}

/// Counts a failure, if it speaks against the endpoint. Returns how many there were in a row.
pub async fn note_failure(
    tx: &mut Tx,
    id: EndpointId,
    counts: bool,
    error: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<i32>> {
    const SQL: &str = "UPDATE alert_endpoint SET failures = failures + $2, last_failure_at = $3, last_error = $4 \
         WHERE id = $1 RETURNING failures";
    sql!(tx, |conn| sqlx::query_scalar(SQL)
        .bind(id)
        .bind(i32::from(counts))
        .bind(now)
        .bind(error)
        .fetch_optional(conn)
        .await)
}

pub async fn pause(tx: &mut Tx, id: EndpointId, until: DateTime<Utc>) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE alert_endpoint SET paused_until = $2 WHERE id = $1";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(until).execute(conn).await.map(drop))
}

/// `false` if it was off already.
pub async fn disable_if_enabled(tx: &mut Tx, id: EndpointId, reason: &str) -> sqlx::Result<bool> {
    const SQL: &str =
        "UPDATE alert_endpoint SET enabled = FALSE, disabled_reason = $2 WHERE id = $1 AND enabled";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(reason)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
