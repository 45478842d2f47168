//! The room that removed rows leave in SQLite's file goes back to the disk, a little at a time.

use crate::app::App;
use crate::db::space;
use crate::error::Result;

/// 1 MB of free pages is kept for what comes next. Ten thousand removed jobs leave far more.
const KEEP: i64 = 250;
/// So few at once that a claim waits some milliseconds at most.
const STEP: u16 = 100;

/// Gives free pages back, step by step, with room for other writers between. Returns how many.
pub async fn give_back(app: &App) -> Result<u64> {
    let mut given = 0;
    while let Some(free) = space::free_pages(&app.db).await?
        && free > KEEP
        && !app.shutdown.is_cancelled()
    {
        space::give_back(&app.db, STEP).await?;
        let Some(left) = space::free_pages(&app.db).await?.filter(|left| *left < free) else { break };
        given += free.abs_diff(left);
        tokio::task::yield_now().await;
    }
    if given > 0 {
        space::truncate_log(&app.db).await?;
    }
    Ok(given)
}
