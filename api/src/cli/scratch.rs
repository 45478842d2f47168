//! Unfinished files of an earlier process.

use std::path::Path;
use std::time::Duration;

use crate::app::App;

/// Removes leftovers. Other processes may share the directory unless it is locked: then only what is old goes.
pub(super) fn sweep(app: &App) -> std::io::Result<u64> {
    let min_age = if app.settings.uses_sqlite() {
        Duration::ZERO
    } else {
        Duration::from_secs(u64::from(app.settings.orphan_hours) * 3600)
    };
    let mut removed = 0;
    for entry in std::fs::read_dir(app.scratch())? {
        let path = entry?.path();
        if age(app, &path)? >= min_age {
            let gone =
                if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            gone?;
            removed += 1;
        }
    }
    Ok(removed)
}

fn age(app: &App, path: &Path) -> std::io::Result<Duration> {
    let modified: chrono::DateTime<chrono::Utc> = path.symlink_metadata()?.modified()?.into();
    Ok((app.clock.now() - modified).to_std().unwrap_or(Duration::ZERO))
}
