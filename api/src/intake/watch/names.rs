//! Which files of the watch folder are candidates.

use std::path::Path;

use super::super::below::Facts;
use crate::config::WatchSettings;

/// Folders in folders in folders: nobody sorts videos that deep.
const DEEPEST: usize = 16;
/// More than anybody keeps in one folder; what is beyond is not seen.
const MOST: usize = 1_000_000;

/// A file as one look saw it.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Below the watch folder.
    pub(super) path: String,
    pub(super) facts: Facts,
}

impl Candidate {
    /// The first folder names the collection.
    pub(super) fn collection(&self) -> Option<&str> {
        self.path.split_once('/').map(|(first, _)| first)
    }
}

/// Links are not followed, hidden things are not looked at. What cannot be read now is looked at again next time.
pub(super) fn candidates(settings: &WatchSettings, folder: &Path) -> std::io::Result<Vec<Candidate>> {
    let mut found = Vec::new();
    // The folder itself must be there; a disk that is not mounted is worth a warning.
    std::fs::read_dir(folder)?;
    look(settings, folder, "", 0, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn look(settings: &WatchSettings, folder: &Path, below: &str, depth: usize, found: &mut Vec<Candidate>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            tracing::debug!(folder = below, %error, "cannot read a folder; trying again at the next scan");
            return;
        }
    };
    for entry in entries.flatten() {
        if found.len() >= MOST {
            return;
        }
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        // Of the entry itself, not of what a link points to.
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && depth < DEEPEST {
            look(settings, &entry.path(), &path, depth + 1, found);
        } else if metadata.is_file() && settings.takes(&name) {
            found.push(Candidate { path, facts: Facts::of(&metadata) });
        }
    }
}
