//! Orphaned files: stored files that nothing refers to, because a process ended before it wrote to the database, or a
//! delivery was refused.
//!
//! A large library has many directories, so the cleaner looks every hour only, asks the database for a thousand ids at
//! once, and looks into the generations of some videos each time, where it stopped before.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::{UploadId, VideoId};
use framefarm_shared::object_key::Root;

use super::files::below;
use super::gc::{Swept, Walk, backup_runs, hours_ago};
use super::unknown_files;
use crate::app::App;
use crate::db::{garbage, key_value, uploads, videos};
use crate::error::Result;

const EVERY: Duration = Duration::hours(1);
/// Ids of one statement.
const PAGE: usize = 1000;

pub(super) async fn orphans(app: &App, walk: Walk) -> Result<Swept> {
    let mut swept = Swept::default();
    if !walk.by_hand && !begin(app).await? {
        return Ok(swept);
    }
    let old = hours_ago(app, app.settings.orphan_hours);
    for root in Root::ALL {
        let mut names = app.storage.directories(root.name()).await?;
        names.sort_unstable();
        let mut known = Vec::new();
        for page in names.chunks(PAGE) {
            let found = known_of(app, root, page).await?;
            for name in page.iter().filter(|name| !found.contains(*name)) {
                if backup_runs(app).await? {
                    return Ok(swept);
                }
                swept += sweep(app, walk, root, name, old).await?;
            }
            known.extend(page.iter().filter(|name| found.contains(*name)));
        }
        if root == Root::Videos {
            let known: Vec<VideoId> = known.into_iter().filter_map(|name| name.parse().ok()).collect();
            swept += inside(app, walk, &known, old).await?;
        }
    }
    Ok(swept)
}

/// Whether it is time, and if so, that it is not for another hour.
async fn begin(app: &App) -> Result<bool> {
    let now = app.clock.now();
    let last = key_value::get(&app.db, key_value::ORPHANS_SWEPT_AT).await?;
    if last
        .as_deref()
        .and_then(key_value::parse_instant)
        .is_some_and(|last| now < last + EVERY && last <= now)
    {
        return Ok(false);
    }
    let mut tx = app.db.begin().await?;
    key_value::set(&mut tx, key_value::ORPHANS_SWEPT_AT, &key_value::format_instant(now)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Looks once more, for the page may be an old one by now.
async fn sweep(app: &App, walk: Walk, root: Root, name: &String, old: DateTime<Utc>) -> Result<Swept> {
    let prefix = root.prefix(name);
    let newest = app.storage.newest_below(&prefix).await?;
    if newest.is_none_or(|newest| newest >= old)
        || !known_of(app, root, std::slice::from_ref(name)).await?.is_empty()
    {
        return Ok(Swept::default());
    }
    let found = below(app, walk, &prefix).await?;
    Ok(Swept { count: found.count, bytes: found.bytes })
}

/// The names that belong to something; those that are not ours belong to somebody else. The upload is looked for before the
/// video: a store dates an object by the beginning of its upload, so a source may look old in the moment before its video's
/// row is there.
async fn known_of(app: &App, root: Root, names: &[String]) -> Result<HashSet<String>> {
    let mut known: HashSet<String> = HashSet::new();
    if root == Root::Uploads {
        let ids: Vec<UploadId> = ids(names, &mut known);
        known.extend(uploads::known(&app.db, &ids).await?.iter().map(ToString::to_string));
        return Ok(known);
    }
    let ids: Vec<VideoId> = ids(names, &mut known);
    known.extend(uploads::known_sources(&app.db, &ids).await?.iter().map(ToString::to_string));
    known.extend(videos::known(&app.db, &ids).await?.iter().map(ToString::to_string));
    let prefixes: Vec<String> = names.iter().map(|name| root.prefix(name)).collect();
    let given_up = garbage::known(&app.db, &prefixes).await?;
    known.extend(given_up.iter().filter_map(|prefix| root.folder(prefix).map(str::to_owned)));
    Ok(known)
}

fn ids<T: std::str::FromStr>(names: &[String], others: &mut HashSet<String>) -> Vec<T> {
    let mut ids = Vec::with_capacity(names.len());
    for name in names {
        match name.parse() {
            Ok(id) => ids.push(id),
            Err(_) => drop(others.insert(name.clone())),
        }
    }
    ids
}

/// The generations of some living videos, by their ids; by hand those of all.
async fn inside(app: &App, walk: Walk, known: &[VideoId], old: DateTime<Utc>) -> Result<Swept> {
    let mut swept = Swept::default();
    let after =
        if walk.by_hand { None } else { key_value::get(&app.db, key_value::ORPHANS_SWEPT_TO).await? };
    let after: Option<VideoId> = after.and_then(|id| id.parse().ok());
    let most = usize::try_from(walk.most).unwrap_or(usize::MAX);
    let due: Vec<VideoId> =
        known.iter().copied().filter(|id| after.is_none_or(|after| *id > after)).take(most).collect();
    for video in &due {
        if backup_runs(app).await? {
            return Ok(swept);
        }
        swept += unknown_files::sweep(app, walk, *video, old).await?;
    }
    if !walk.by_hand {
        // From the first one again once there are no more.
        let last = due.last().filter(|_| due.len() == most).map(ToString::to_string);
        let mut tx = app.db.begin().await?;
        key_value::set(&mut tx, key_value::ORPHANS_SWEPT_TO, &last.unwrap_or_default()).await?;
        tx.commit().await?;
    }
    Ok(swept)
}
