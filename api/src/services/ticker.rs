//! Keeps the clock, accounts for outages, and keeps the lead.

use super::{Counts, timekeeping};
use crate::app::App;
use crate::error::Result;
use crate::lifecycle::startup;

pub async fn run_once(app: App) -> Result<Counts> {
    timekeeping::keep(&app).await?;
    let outage = startup::tick(&app).await?;
    super::leader::lead(&app).await?;
    Ok(vec![("leases_extended", outage.leases_extended)])
}
