//! Deletes files and rows that are no longer needed, and returns free database pages to the disk.

use super::Counts;
use crate::app::App;
use crate::error::Result;
use crate::lifecycle::upload;
use crate::retention::gc::{self, Walk};
use crate::retention::give_back;

/// Of one kind in one run: other services of this instance wait for none of it.
const MOST: i64 = 500;

pub async fn run_once(app: App) -> Result<Counts> {
    // Before expiry: an upload whose last byte arrived just before a crash is a video, not rubbish.
    let mut counts = vec![("uploads_sealed", upload::seal_forgotten(&app).await?)];
    let report = gc::walk(&app, Walk { dry_run: false, most: MOST, by_hand: false }).await?;
    counts.extend(report.kinds.iter().map(|cleaned| (cleaned.kind.name(), cleaned.count)));
    counts.push(("pages_given_back", give_back(&app).await?));
    Ok(counts)
}
