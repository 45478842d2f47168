//! Before the first look: whether the folder can be worked with, and who tells us of changes.

use std::path::Path;

use anyhow::{Context as _, bail};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::settle::{DONE, FAILED};
use crate::app::App;
use crate::config::{WatchAfter, WatchSettings};

/// Refuses a folder that could not do what the settings ask for.
pub fn check_start(settings: &WatchSettings) -> anyhow::Result<()> {
    let Some(folder) = &settings.watch_dir else { return Ok(()) };
    let shown = folder.display();
    if !folder.is_dir() {
        bail!("watch_dir = {shown}: folder not found");
    }
    std::fs::read_dir(folder).with_context(|| format!("watch_dir = {shown}: cannot read this folder"))?;
    let (after, drawers): (_, &[&str]) = match settings.watch_after {
        WatchAfter::Keep => return Ok(()),
        WatchAfter::Move => ("move", &[DONE, FAILED]),
        WatchAfter::Delete => ("delete", &[FAILED]),
    };
    // The folder itself as well: to move a file out of it is to write into it.
    let places = drawers.iter().map(|drawer| folder.join(drawer)).chain([folder.clone()]);
    for place in places {
        make(&place).with_context(|| {
            format!("watch_dir = {shown}: watch_after = {after} needs write access; make the folder writable, or use watch_after = keep")
        })?;
    }
    Ok(())
}

/// There, and something can be put into it.
fn make(place: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(place)?;
    tempfile::Builder::new().prefix(".framefarm-").tempfile_in(place).map(drop)
}

/// Tells of changes in the folder as long as what is given back lives. Without it there is still the regular look.
pub fn listen(app: &App) -> Option<RecommendedWatcher> {
    let folder = app.settings.watch.watch_dir.clone()?;
    let told = app.clone();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // To look is an access, too: woken by that, we would never rest.
        let ours = |kind: EventKind| matches!(kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
        if !event.is_ok_and(|event| ours(event.kind)) {
            told.watch.wake();
        }
    });
    let started = watcher.and_then(|mut watcher| {
        watcher.watch(&folder, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    match started {
        Ok(watcher) => Some(watcher),
        Err(error) => {
            tracing::warn!(%error, "no change notifications for the watch folder; it is scanned at intervals");
            None
        }
    }
}
