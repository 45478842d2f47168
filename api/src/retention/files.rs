//! Stored files that go for good.

use chrono::Duration;
use framefarm_shared::object_key::{ObjectKey, is_below};

use super::gc::{Swept, Walk, backup_runs};
use crate::app::App;
use crate::db::garbage as table;
use crate::error::Result;
use crate::storage::Files;

/// Requests that began before somebody gave the files up still find them.
const GARBAGE_REST: Duration = Duration::minutes(10);

pub(super) async fn garbage(app: &App, walk: Walk) -> Result<Swept> {
    let (mut swept, now) = (Swept::default(), app.clock.now());
    let mut due = table::due(&app.db, now - GARBAGE_REST, now, walk.most).await?;
    // A video comes before its generations, whose files are counted with it.
    due.sort_unstable();
    let mut counted: Option<String> = None;
    for prefix in due {
        // Each time: a backup that begins now does not wait for the end of a long list.
        if backup_runs(app).await? {
            break;
        }
        if !walk.dry_run && !begin_removal(app, &prefix).await? {
            continue;
        }
        let below = counted.as_ref().is_some_and(|outer| is_below(&prefix, outer));
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

/// Whoever takes the files back does so before this, or is told that they go.
async fn begin_removal(app: &App, prefix: &str) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let is_due = table::begin_removal_if_due(&mut tx, prefix, app.clock.now()).await?;
    tx.commit().await?;
    Ok(is_due)
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

pub(super) async fn below(app: &App, walk: Walk, prefix: &str) -> Result<Files> {
    let storage = &app.storage;
    Ok(if walk.dry_run { storage.size_below(prefix).await } else { storage.delete_below(prefix).await }?)
}
