//! Several instances agree on the database's clock; a single one follows its own machine's, gently.
//!
//! Leases are compared with the clock of whichever instance looks at them. One whose clock is a minute ahead would take
//! healthy jobs from their workers.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::clock::wall_clock;

use crate::app::App;
use crate::error::Result;

/// The way to the database and back, and two clocks that drift, stay below it.
const TOLERATED: Duration = Duration::seconds(1);
const AT_A_TIME: Duration = Duration::milliseconds(500);

/// Sets the clock if it is wrong, and steers it if it is nearly right.
pub async fn keep(app: &App) -> Result<()> {
    match app.db.server_time().await? {
        Some(reference) if is_wrong(app, reference) => set(app, reference),
        reference => app.clock.steer(reference.unwrap_or_else(wall_clock), AT_A_TIME),
    }
    Ok(())
}

/// For whoever is about to judge others by it. One that was wrong is set, and right the next time.
pub async fn is_right(app: &App) -> Result<bool> {
    let reference = app.db.server_time().await?.filter(|reference| is_wrong(app, *reference));
    if let Some(reference) = reference {
        set(app, reference);
    }
    Ok(reference.is_none())
}

fn is_wrong(app: &App, reference: DateTime<Utc>) -> bool {
    app.clock.behind(reference).abs() > TOLERATED
}

fn set(app: &App, reference: DateTime<Utc>) {
    let behind_ms = app.clock.behind(reference).num_milliseconds();
    tracing::warn!(behind_ms, "clock differs from the database clock; adjusting it");
    app.clock.set(reference);
}
