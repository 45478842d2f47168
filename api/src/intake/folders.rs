//! The folders that files may be named in, the setting `intake_dirs`.

use std::path::{Path, PathBuf};

use super::below::{Facts, Folder, Refusal, Result};
use crate::config::IntakeSettings;

/// A file in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    folder: PathBuf,
    path: PathBuf,
}

impl Place {
    /// Finds the folder by the name of the file alone; nothing is opened.
    pub fn find(settings: &IntakeSettings, path: &Path) -> Result<Self> {
        let refused = || Refusal::Outside(path.to_owned());
        for folder in settings.folders() {
            // As it is configured, and as it really is: both are names for the same folder.
            let real = std::fs::canonicalize(&folder).ok();
            for name in [Some(&folder), real.as_ref()].into_iter().flatten() {
                if let Ok(below) = path.strip_prefix(name) {
                    let plain =
                        below.components().all(|step| matches!(step, std::path::Component::Normal(_)));
                    return if plain && below.file_name().is_some() {
                        Ok(Self { path: below.to_owned(), folder: folder.clone() })
                    } else {
                        Err(refused())
                    };
                }
            }
        }
        Err(refused())
    }

    /// One name for the file, however it was written.
    pub fn whole(&self) -> PathBuf {
        self.folder.join(&self.path)
    }

    pub fn look(&self) -> Result<Facts> {
        Folder::open(&self.folder)?.look(&self.path)
    }

    pub fn open(&self) -> Result<(std::fs::File, Facts)> {
        Folder::open(&self.folder)?.file(&self.path)
    }
}
