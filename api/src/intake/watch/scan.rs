//! Finds files in the watch folder and takes those that are at rest.

use std::collections::HashSet;
use std::path::Path;
use std::sync::PoisonError;

use chrono::Duration;
use framefarm_shared::id::IntakeId;
use framefarm_shared::intake::IntakeKind;
use framefarm_shared::wire::event::EventKind;

use super::super::queue::identity;
use super::Looks;
use super::names::{Candidate, candidates};
use crate::app::App;
use crate::db::events::{self, Event};
use crate::db::intakes::{self, NewIntake};
use crate::db::uploads::UploadRequest;
use crate::db::watched_files::{self, Seen};
use crate::error::Result;
use crate::lifecycle::FARM;
use crate::lifecycle::file_name::clean_file_name;

/// After so long the database is asked again whether a file that lies there was taken.
const KNOWN_FOR: Duration = Duration::minutes(10);

/// How many were taken.
pub(super) async fn scan(app: &App, folder: &Path) -> Result<u64> {
    let (settings, folder) = (app.settings.watch.clone(), folder.to_owned());
    let shown = folder.display().to_string();
    let found = match tokio::task::spawn_blocking(move || candidates(&settings, &folder)).await? {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(folder = shown, %error, "cannot read the watch folder");
            return Ok(0);
        }
    };
    let mut taken = 0;
    for file in at_rest(app, found) {
        let taken_now = take(app, &file).await?;
        taken += u64::from(taken_now);
        if taken_now || was_taken(app, &file).await? {
            let mut known = app.watch.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(file.path, (file.facts, app.clock.now()));
        }
    }
    Ok(taken)
}

/// Whether it was this version; one that waits for the end of an older one is to be looked at again.
async fn was_taken(app: &App, file: &Candidate) -> Result<bool> {
    let row = watched_files::get(&app.db, &file.path).await?;
    Ok(row.is_some_and(|row| {
        row.size.unsigned_abs() == file.facts.size && row.changed_ns == file.facts.changed_ns
    }))
}

/// Those that have not changed for long enough; the others are remembered.
fn at_rest(app: &App, found: Vec<Candidate>) -> Vec<Candidate> {
    let now = app.clock.now();
    let rest = Duration::seconds(app.settings.watch.watch_stable_seconds.into());
    let mut known = app.watch.known.lock().unwrap_or_else(PoisonError::into_inner);
    let there: HashSet<&str> = found.iter().map(|file| file.path.as_str()).collect();
    known.retain(|path, (_, since)| there.contains(path.as_str()) && now - *since < KNOWN_FOR);
    let mut resting = app.watch.resting.lock().unwrap_or_else(PoisonError::into_inner);
    let mut still = Looks::new();
    let mut ready = Vec::new();
    for file in found {
        if known.get(&file.path).is_some_and(|(facts, _)| *facts == file.facts) {
            continue;
        }
        let since = match resting.get(&file.path) {
            Some((facts, since)) if *facts == file.facts => *since,
            _ => now,
        };
        if now - since >= rest {
            ready.push(file);
        } else {
            still.insert(file.path, (file.facts, since));
        }
    }
    *resting = still;
    ready
}

/// In one transaction: that this version of the file was taken, and what is to be done with it.
async fn take(app: &App, file: &Candidate) -> Result<bool> {
    let size = i64::try_from(file.facts.size).unwrap_or(i64::MAX);
    let seen = Seen { path: &file.path, size, changed_ns: file.facts.changed_ns };
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let request = UploadRequest {
        file_name: Some(clean_file_name(name))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "upload".to_owned()),
        collection: file.collection().map(clean_file_name).filter(|name| !name.is_empty()),
        ..UploadRequest::default()
    };
    let id = IntakeId::new(&app.clock);
    // Another version of the same file is another thing to bring in.
    let place = format!("{}\n{}\n{}", file.path, size, file.facts.changed_ns);
    let new = NewIntake {
        id,
        kind: IntakeKind::Watch,
        identity: identity(IntakeKind::Watch, &place, &request),
        place: file.path.clone(),
        request,
        actor: FARM.to_owned(),
        size: Some(size),
    };
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    if !watched_files::take_if_new(&mut tx, seen, id, now).await?
        || intakes::insert_unless_live(&mut tx, &new, now).await?.is_none()
    {
        tx.rollback().await?;
        return Ok(false);
    }
    let event = Event::new(EventKind::IntakeQueued, FARM).because(file.path.clone());
    events::append(&mut tx, event, now).await?;
    tx.commit().await?;
    tracing::info!(intake.id = %id, "file found in the watch folder");
    Ok(true)
}
