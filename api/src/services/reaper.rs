//! Finds workers that went silent, jobs whose claims lapsed, and attempts on which nothing moves.

use super::Counts;
use crate::app::App;
use crate::error::Result;
use crate::lifecycle::reclaim;

pub async fn run_once(app: App) -> Result<Counts> {
    reclaim::sweep(&app).await
}
