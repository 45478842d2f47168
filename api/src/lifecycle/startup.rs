//! Makes up for the time in which no API was there to hear a heartbeat.
//!
//! Each live API writes a tick. At start, the time since the last tick is the outage: leases that were alive then
//! are prolonged by exactly that, so nobody loses a job to our absence, however often we restart. After an outage
//! longer than a heartbeat the reaper also holds back for the grace, because workers must find us again first.

use chrono::Duration;

use crate::app::App;
use crate::db::facts::{format_instant, parse_instant};
use crate::db::{self, facts, job_renew};
use crate::error::Result;

/// What the start found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// `None` on the first start.
    pub lasted: Option<Duration>,
    pub leases_extended: u64,
}

pub async fn recover(app: &App) -> Result<Outage> {
    let now = app.clock.now();
    let last_text = facts::get(&app.db, facts::LAST_TICK).await?;
    let last = last_text.as_deref().and_then(parse_instant);
    let lasted = last.map(|tick| (now - tick).max(Duration::zero()));
    let mut tx = app.db.begin().await?;
    // Of several instances that start at once, one accounts for the outage.
    let mine = match &last_text {
        Some(text) => facts::swap_if(&mut tx, facts::LAST_TICK, text, &format_instant(now)).await?,
        None => facts::set_if_unknown(&mut tx, facts::LAST_TICK, &format_instant(now)).await?,
    };
    let mut leases_extended = 0;
    if mine {
        if let (Some(tick), Some(outage)) = (last, lasted) {
            for claim in job_renew::alive_at(&mut tx, tick).await? {
                leases_extended +=
                    u64::from(job_renew::extend_unless_changed(&mut tx, &claim, outage).await?);
            }
            let alive_since = tick - app.settings.offline_after();
            db::workers::forgive_silence(&mut tx, alive_since, now).await?;
        }
        if lasted.is_none_or(|outage| outage >= app.settings.heartbeat()) {
            let until = now + Duration::seconds(app.settings.startup_grace.into());
            facts::set(&mut tx, facts::GRACE_UNTIL, &format_instant(until)).await?;
        }
    }
    tx.commit().await?;
    Ok(Outage { lasted, leases_extended })
}

/// Says that this API is alive.
pub async fn tick(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    facts::set(&mut tx, facts::LAST_TICK, &format_instant(app.clock.now())).await?;
    tx.commit().await?;
    Ok(())
}

/// Whether the reaper still holds back.
pub async fn in_grace(app: &App) -> Result<bool> {
    let until = facts::get(&app.db, facts::GRACE_UNTIL).await?;
    Ok(until.as_deref().and_then(parse_instant).is_some_and(|until| app.clock.now() < until))
}
