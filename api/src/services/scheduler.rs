//! Jobs whose time has come are made claimable.

use super::Counts;
use crate::app::App;
use crate::db::job;
use crate::error::Result;

pub async fn run_once(app: App) -> Result<Counts> {
    let mut tx = app.db.begin().await?;
    let due = job::claim::promote_due(&mut tx, app.clock.now()).await?;
    tx.commit().await?;
    Ok(vec![("jobs_due", due)])
}
