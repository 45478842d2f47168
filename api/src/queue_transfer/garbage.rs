//! Files that were given up here and that an import refers to again: a video that was removed for good comes back before
//! its files went.

use std::collections::{HashMap, HashSet};

use chrono::Duration;
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;

use super::document::ExportedVideo;
use crate::app::App;
use crate::db::{Tx, garbage};
use crate::error::Result;

/// Longer than an import takes. If it fails, the files go after that.
const KEPT: Duration = Duration::hours(1);
/// Prefixes of one statement.
const PAGE: usize = 900;

/// What a video refers to once it is here.
pub(super) fn prefixes(video: &ExportedVideo, live: &[i32]) -> Vec<String> {
    let id = video.id;
    let generations = live.iter().copied().chain([video.generation]);
    let mut all: Vec<String> = generations.map(|number| ObjectKey::generation_prefix(id, number)).collect();
    all.push(ObjectKey::video_prefix(id));
    if video.source_deleted_at.is_none() {
        all.push(ObjectKey::source_prefix(id));
    }
    all
}

/// Keeps the files of these videos until the import has come to them. Those that go already cannot be kept: gives back
/// whose they are.
pub(super) async fn keep(
    app: &App,
    videos: &[&ExportedVideo],
    live: &HashMap<VideoId, Vec<i32>>,
    dry_run: bool,
) -> Result<HashSet<VideoId>> {
    let of_live = |id| live.get(&id).map(Vec::as_slice).unwrap_or_default();
    let wanted: Vec<(VideoId, String)> = videos
        .iter()
        .flat_map(|video| prefixes(video, of_live(video.id)).into_iter().map(|prefix| (video.id, prefix)))
        .collect();
    let mut going = HashSet::new();
    for page in wanted.chunks(PAGE) {
        let names: Vec<String> = page.iter().map(|(_, prefix)| prefix.clone()).collect();
        let mut tx = if dry_run { app.db.begin_reading().await? } else { app.db.begin().await? };
        if !dry_run {
            garbage::keep_unless_removing(&mut tx, &names, app.clock.now() + KEPT).await?;
        }
        let removing: HashSet<String> = garbage::removing(&mut tx, &names).await?.into_iter().collect();
        if dry_run {
            tx.rollback().await?;
        } else {
            tx.commit().await?;
        }
        going.extend(page.iter().filter(|(_, prefix)| removing.contains(prefix)).map(|(id, _)| *id));
    }
    Ok(going)
}

/// These videos are here now, in this transaction.
pub(super) async fn forget(tx: &mut Tx, prefixes: &[String]) -> Result<()> {
    for page in prefixes.chunks(PAGE) {
        garbage::forget(tx, page).await?;
    }
    Ok(())
}
