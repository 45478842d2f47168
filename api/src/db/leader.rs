//! Table `leader`: which API instance does what needs doing once.

use chrono::{DateTime, Utc};
use framefarm_shared::id::BootId;

use super::{Tx, sql};

/// Takes the lead for this duty, or keeps it. The term grows whenever somebody else takes over; `None` while another
/// instance leads.
pub async fn lead_if_free_or_mine(
    tx: &mut Tx,
    duty: &str,
    instance: BootId,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<Option<i64>> {
    const SQL: &str = "INSERT INTO leader (duty, instance, term, until) VALUES ($1, $2, 1, $4) \
         ON CONFLICT (duty) DO UPDATE SET instance = excluded.instance, until = excluded.until, \
         term = leader.term + CASE WHEN leader.instance = excluded.instance THEN 0 ELSE 1 END \
         WHERE leader.instance = excluded.instance OR leader.until <= $3 RETURNING term";
    sql!(tx, |conn| sqlx::query_scalar(SQL)
        .bind(duty)
        .bind(instance)
        .bind(now)
        .bind(until)
        .fetch_optional(conn)
        .await)
}

/// Lets the next one lead at once.
pub async fn resign_if_mine(
    tx: &mut Tx,
    duty: &str,
    instance: BootId,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE leader SET until = $3 WHERE duty = $1 AND instance = $2 AND until > $3";
    sql!(tx, |conn| sqlx::query(SQL).bind(duty).bind(instance).bind(now).execute(conn).await.map(drop))
}
