//! One of several instances does what needs doing once.
//!
//! The lead is a lease in the database with a number for each term. It saves work and is no guard: an instance that
//! slept through its lease may still act, so every statement of a service is conditional as well.

use chrono::Duration;

use crate::app::App;
use crate::db::leader;
use crate::error::Result;

const DUTY: &str = "housekeeping";
/// Several ticks; who falls silent is replaced after it.
const LEASE: Duration = Duration::seconds(15);

/// Takes the lead if it is free, keeps it if it is ours. The term, or `None` while another instance leads.
pub async fn lead(app: &App) -> Result<Option<i64>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let term = leader::lead_if_free_or_mine(&mut tx, DUTY, app.boot, now, now + LEASE).await?;
    tx.commit().await?;
    Ok(term)
}

/// Lets another instance lead at once.
pub async fn resign(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    leader::resign_if_mine(&mut tx, DUTY, app.boot, app.clock.now()).await?;
    Ok(tx.commit().await?)
}
