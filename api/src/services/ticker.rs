//! Writes the sign of life that tells the next start how long the outage was, steers the clock, and keeps the lead.

use chrono::Duration;
use framefarm_shared::clock::wall_clock;

use super::Counts;
use crate::app::App;
use crate::error::Result;
use crate::lifecycle::startup;

pub async fn run_once(app: App) -> Result<Counts> {
    // Several instances agree on the database's clock; a single one follows its own machine's, gently.
    let reference = app.db.server_time().await?.unwrap_or_else(wall_clock);
    app.clock.steer(reference, Duration::milliseconds(500));
    startup::tick(&app).await?;
    super::leader::lead(&app).await?;
    Ok(Counts::new())
}
