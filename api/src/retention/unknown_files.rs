//! Files in the generations of a living video that no row knows: refused deliveries, and those of attempts that were given
//! up.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::{MediaFile, ObjectKey, parse_public};

use super::gc::{Swept, Walk};
use crate::app::App;
use crate::db::qualities::GenerationKey;
use crate::db::{extra_files, garbage, generations, qualities, segments, videos};
use crate::error::Result;
use crate::lifecycle::publish::{self, media_files};

/// Only what carries its digest in its name: playlists are written without a row.
pub(super) async fn sweep(app: &App, walk: Walk, video: VideoId, old: DateTime<Utc>) -> Result<Swept> {
    let mut swept = Swept::default();
    let mut by_generation = BTreeMap::<i32, Vec<(MediaFile, u64)>>::new();
    let prefix = ObjectKey::video_prefix(video);
    for found in app.storage.objects_below(&prefix).await? {
        let Some((number, file)) = parse_public(&found.name) else { continue };
        if found.written_at < old && file.digest().is_some() {
            by_generation.entry(number).or_default().push((file, found.size));
        }
    }
    for (number, files) in by_generation {
        let generation = GenerationKey { video, number };
        let Some(known) = known_files(app, generation).await? else { continue };
        for (file, size) in files.into_iter().filter(|(file, _)| !known.contains(&file.to_string())) {
            if walk.dry_run || app.storage.delete_key(&generation.object(file)).await? {
                swept.add(1, size);
            }
        }
    }
    Ok(swept)
}

/// What the rows of a generation refer to; `None` if they do not tell, or if the files are somebody else's to remove. While
/// a job works on it, a file may be there before its row.
async fn known_files(app: &App, key: GenerationKey) -> Result<Option<HashSet<String>>> {
    if garbage::is_known(&app.db, &key.prefix()).await? || generations::has_live_job(&app.db, key).await? {
        return Ok(None);
    }
    let plays = videos::get(&app.db, key.video).await?.is_none_or(|video| video.generation == key.number);
    // What does not play yet may be retried, and the same file delivered again in the moment in which it goes.
    if !plays && generations::of_video(&app.db, key.video).await?.contains(&key.number) {
        return Ok(None);
    }
    let rows = qualities::of_generation(&app.db, key).await?;
    // One that was imported plays without rows of its qualities.
    if rows.is_empty() && plays {
        return Ok(None);
    }
    let naming = generations::naming(&app.db, key).await?;
    let mut known = HashSet::new();
    for row in &rows {
        let segments = segments::of_quality(&app.db, key, &row.name).await?;
        known.extend(media_files(row, &segments, naming).map(|file| file.to_string()));
    }
    let sidecars = extra_files::of_generation(&app.db, key).await?;
    known.extend(
        sidecars
            .iter()
            .filter_map(|row| publish::sidecars::stored(row, naming))
            .map(|(_, file)| file.to_string()),
    );
    Ok(Some(known))
}
