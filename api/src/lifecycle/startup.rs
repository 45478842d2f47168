//! Makes up for the time in which no API was there to hear a heartbeat, or none could write it down.
//!
//! Each live API writes a tick. The time since the last tick is the outage, whether we were away, the database was, or
//! the machine slept: leases that were alive then are prolonged by exactly that, so nobody loses a job to our absence,
//! however often we restart. After an outage longer than a heartbeat the reaper also holds back for the grace, because
//! workers must find us again first.

use chrono::{DateTime, Duration, Utc};

use crate::app::App;
use crate::db::key_value::{format_instant, parse_instant};
use crate::db::{self, Tx, job, key_value};
use crate::error::Result;

/// One tick at least did not come. Less is a busy machine.
const MISSED_TICKS: Duration = Duration::seconds(10);

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outage {
    /// `None` on the first start.
    pub lasted: Option<Duration>,
    pub leases_extended: u64,
}

/// At the start.
pub async fn recover(app: &App) -> Result<Outage> {
    account(app, Duration::zero()).await
}

/// Says that this API is alive, and accounts for the time in which none could say so.
pub async fn tick(app: &App) -> Result<Outage> {
    account(app, MISSED_TICKS).await
}

/// Writes a tick; if the last one is `from` or longer ago, that was an outage.
async fn account(app: &App, from: Duration) -> Result<Outage> {
    let now = app.clock.now();
    let last_text = key_value::get(&app.db, key_value::LAST_TICK).await?;
    let last = last_text.as_deref().and_then(parse_instant);
    let lasted = last.map(|tick| (now - tick).max(Duration::zero()));
    let mut tx = app.db.begin().await?;
    // Of several instances that find the same outage, one accounts for it.
    let mine = match &last_text {
        Some(text) => key_value::swap_if(&mut tx, key_value::LAST_TICK, text, &format_instant(now)).await?,
        None => key_value::set_if_unknown(&mut tx, key_value::LAST_TICK, &format_instant(now)).await?,
    };
    let mut leases_extended = 0;
    // To begin with, nobody has found us yet.
    let is_outage = lasted.map_or(from.is_zero(), |outage| outage >= from);
    if mine && is_outage {
        if let (Some(tick), Some(outage)) = (last, lasted) {
            leases_extended = make_up(app, &mut tx, tick, outage).await?;
        }
        if lasted.is_none_or(|outage| outage >= app.settings.heartbeat()) {
            let until = now + Duration::seconds(app.settings.startup_grace.into());
            key_value::set(&mut tx, key_value::GRACE_UNTIL, &format_instant(until)).await?;
        }
    }
    tx.commit().await?;
    Ok(Outage { lasted, leases_extended })
}

async fn make_up(app: &App, tx: &mut Tx, tick: DateTime<Utc>, outage: Duration) -> Result<u64> {
    let mut extended = 0;
    for claim in job::renew::alive_at(tx, tick).await? {
        extended += u64::from(job::renew::extend_unless_changed(tx, &claim, outage).await?);
    }
    let alive_since = tick - app.settings.offline_after();
    db::workers::forgive_silence(tx, alive_since, app.clock.now()).await?;
    Ok(extended)
}

/// Nobody has said for long that an API is alive: until that is accounted for, no silence means anything.
pub async fn is_unaccounted(app: &App) -> Result<bool> {
    let last = key_value::get(&app.db, key_value::LAST_TICK).await?;
    Ok(last.as_deref().and_then(parse_instant).is_some_and(|tick| app.clock.now() - tick >= MISSED_TICKS))
}

/// Whether the reaper still holds back.
pub async fn in_grace(app: &App) -> Result<bool> {
    let until = key_value::get(&app.db, key_value::GRACE_UNTIL).await?;
    Ok(until.as_deref().and_then(parse_instant).is_some_and(|until| app.clock.now() < until))
}
