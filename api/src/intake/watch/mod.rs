//! The watch folder: files in it are imported automatically.
//!
//! `scan` finds files and takes those that are at rest; `settle` puts away those whose end is known. Both only do what the
//! database and the folder show, so that a crash between two steps is made up for by the next look, and several
//! instances that look at one folder do each thing once.

mod names;
mod scan;
mod settle;
mod start;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::Notify;

pub use self::start::{check_start, listen};
use super::below::Facts;
use crate::app::App;
use crate::error::Result;
use crate::services::Counts;

/// Files by path: as they were, and since when.
type Looks = HashMap<String, (Facts, DateTime<Utc>)>;

/// What this instance remembers between two looks.
#[derive(Debug, Default)]
pub struct Watch {
    /// Files that are not taken yet.
    resting: Mutex<Looks>,
    /// Files that were taken as they are, and since when we know.
    known: Mutex<Looks>,
    wake: Notify,
}

impl Watch {
    /// There may be something to do.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    pub async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Whether files were seen that are not at rest yet.
    pub fn expects(&self) -> bool {
        !self.resting.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// One look at the whole folder.
pub async fn run_once(app: App) -> Result<Counts> {
    let Some(folder) = app.settings.watch.watch_dir.clone() else { return Ok(Counts::new()) };
    let put_away = settle::settle(&app, &folder).await?;
    let taken = scan::scan(&app, &folder).await?;
    Ok(vec![("files_taken", taken), ("files_put_away", put_away)])
}
