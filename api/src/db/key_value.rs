//! Table `fact`: small things the farm keeps about itself.

use chrono::{DateTime, Utc};

use super::{Db, Tx, sql};

/// Hash of the admin's password.
pub const ADMIN_PASSWORD: &str = "admin_password";
/// When an API instance was last known to be alive.
pub const LAST_TICK: &str = "last_tick";
/// What the surveyor counted last, as JSON.
pub const STORED_BYTES: &str = "stored_bytes";
/// Until when the reaper holds back after an outage.
pub const GRACE_UNTIL: &str = "grace_until";
/// Until when a backup copies stored files, which must stay so long.
pub const BACKUP_UNTIL: &str = "backup_until";

/// When the last sweep of orphans began.
pub const ORPHANS_SWEPT_AT: &str = "orphans_swept_at";
/// The video into whose generations it looked last; empty if it looked into all.
pub const ORPHANS_SWEPT_TO: &str = "orphans_swept_to";

/// Whole microseconds since 1970: no locale, no time zone, no second spelling.
pub fn format_instant(instant: DateTime<Utc>) -> String {
    instant.timestamp_micros().to_string()
}

pub fn parse_instant(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok().and_then(DateTime::from_timestamp_micros)
}

/// The last event that alerts were derived from.
pub const ALERTED_UNTIL: &str = "alerted_until";

pub async fn get(db: &Db, name: &str) -> sqlx::Result<Option<String>> {
    const SQL: &str = "SELECT value FROM fact WHERE name = $1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(name).fetch_optional(pool).await)
}

pub async fn set(tx: &mut Tx, name: &str, value: &str) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO fact (name, value) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    sql!(tx, |conn| sqlx::query(SQL).bind(name).bind(value).execute(conn).await.map(drop))
}

/// `false` if the fact was known already.
pub async fn set_if_unknown(tx: &mut Tx, name: &str, value: &str) -> sqlx::Result<bool> {
    const SQL: &str = "INSERT INTO fact (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(name)
        .bind(value)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Replaces a value that is still the one that was read; of two instances only one succeeds.
pub async fn swap_if(tx: &mut Tx, name: &str, old: &str, new: &str) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE fact SET value = $3 WHERE name = $1 AND value = $2";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(name)
        .bind(old)
        .bind(new)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}
