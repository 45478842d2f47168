//! Stored files that go for good.

use chrono::Duration;
use framefarm_shared::id::{UploadId, VideoId};
use framefarm_shared::object_key::ObjectKey;

use super::gc::{Swept, Walk, backup_runs, hours_ago};
use crate::app::App;
use crate::db::{garbage as table, uploads, videos};
use crate::error::Result;
use crate::storage::Files;

/// A player in the middle of an old generation keeps its segments for a while.
const GARBAGE_REST: Duration = Duration::minutes(10);

pub(super) async fn garbage(app: &App, walk: Walk) -> Result<Swept> {
    let mut swept = Swept::default();
    let mut due = table::due(&app.db, app.clock.now() - GARBAGE_REST, walk.most).await?;
    // A video comes before its generations, whose files are counted with it.
    due.sort_unstable();
    let mut counted: Option<String> = None;
    for prefix in due {
        // Each time: a backup that begins now does not wait for the end of a long list.
        if backup_runs(app).await? {
            break;
        }
        let below = counted.as_ref().is_some_and(|outer| prefix.starts_with(&format!("{outer}/")));
        if !below {
            let found = files_of(app, walk, &prefix).await?;
            swept.add(found.count, found.bytes);
            counted = Some(prefix.clone());
        }
        if !walk.dry_run {
            let mut tx = app.db.begin().await?;
            table::remove(&mut tx, &prefix).await?;
            tx.commit().await?;
        }
    }
    Ok(swept)
}

/// What is stored below a prefix, or was. The master of a generation lies beside it.
async fn files_of(app: &App, walk: Walk, prefix: &str) -> Result<Files> {
    let mut found = below(app, walk, prefix).await?;
    if let Some(master) = ObjectKey::master_beside(prefix) {
        let size = match app.storage.head(&master).await {
            Ok(meta) => Some(meta.size),
            Err(object_store::Error::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        if let Some(size) = size
            && (walk.dry_run || app.storage.delete_key(&master).await?)
        {
            found.count += 1;
            found.bytes += size;
        }
    }
    Ok(found)
}

async fn below(app: &App, walk: Walk, prefix: &str) -> Result<Files> {
    let storage = &app.storage;
    Ok(if walk.dry_run { storage.size_below(prefix).await } else { storage.delete_below(prefix).await }?)
}

/// Files of videos and uploads that have no row: something ended between storing them and the database.
pub(super) async fn orphans(app: &App, walk: Walk) -> Result<Swept> {
    let old = hours_ago(app, app.settings.orphan_hours);
    let mut swept = Swept::default();
    for root in ["sources", "videos", "uploads"] {
        for name in app.storage.directories(root).await? {
            if backup_runs(app).await? {
                return Ok(swept);
            }
            let prefix = format!("{root}/{name}");
            if !is_known(app, root, &name).await?
                && !table::is_known(&app.db, &prefix).await?
                && app.storage.newest_below(&prefix).await?.is_some_and(|newest| newest < old)
            {
                let found = below(app, walk, &prefix).await?;
                swept.add(found.count, found.bytes);
            }
        }
    }
    Ok(swept)
}

/// What is not named by us is left alone, too. The upload is looked for before the video: a store dates an object by
/// the beginning of its upload, so a source may look old in the moment before its video's row is there.
async fn is_known(app: &App, root: &str, name: &str) -> Result<bool> {
    if root == "uploads" {
        let Ok(id) = name.parse::<UploadId>() else { return Ok(true) };
        return Ok(uploads::get(&app.db, id).await?.is_some());
    }
    let Ok(video) = name.parse::<VideoId>() else { return Ok(true) };
    Ok(uploads::has_source(&app.db, video).await? || videos::get(&app.db, video).await?.is_some())
}
