//! Imports one file: claims a due row, copies its bytes into an upload, and records the result.
//!
//! A crash at any instant leaves a row whose lease runs out. Whoever takes it then goes on with the bytes that the
//! upload has, or finds that the upload is a video already.

use std::path::Path;
use std::time::Duration as StdDuration;

use chrono::Duration;
use framefarm_shared::intake::{IntakeKind, WatchedState};
use framefarm_shared::wire::event::EventKind;

use super::below::{Facts, Folder, Refusal};
use super::bytes::{FetchControl, Pieces, of_file};
use super::error::{IntakeError, Kind};
use super::folders::Place;
use super::queue::{drop_upload, shown};
use super::url;
use crate::app::App;
use crate::db::events::{self, Event};
use crate::db::intakes::{self, IntakeRow, Outcome, Reach};
use crate::db::watched_files;
use crate::error::Result;
use crate::lifecycle::upload::{self, Became, NewUpload, Upload};
use crate::services::Counts;

/// Who is silent for so long has lost the file.
const LEASE: Duration = Duration::seconds(60);
const RENEW_EVERY: StdDuration = StdDuration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::seconds(30);
const LONGEST_PAUSE: Duration = Duration::hours(1);

pub(super) type Done<T> = std::result::Result<T, IntakeError>;

/// Brings in what is due, one after the other.
pub async fn run_once(app: App) -> Result<Counts> {
    let (mut done, mut put_off, mut failed) = (0, 0, 0);
    while !app.shutdown.is_cancelled() {
        let Some(row) = claim(&app).await? else { break };
        match bring(&app, &row).await? {
            Ended::Done => done += 1,
            Ended::PutOff => put_off += 1,
            Ended::Failed => failed += 1,
            Ended::Stopped => {}
        }
    }
    Ok(vec![("files_brought_in", done), ("files_put_off", put_off), ("files_failed", failed)])
}

async fn claim(app: &App) -> Result<Option<IntakeRow>> {
    let now = app.clock.now();
    let reach = Reach {
        urls: app.settings.intake.intake_urls,
        paths: !app.settings.intake.folders().is_empty(),
        watch: app.settings.watch.watch_dir.is_some(),
    };
    let mut tx = app.db.begin().await?;
    let row = intakes::claim_due(&mut tx, reach, now, now + LEASE).await?;
    tx.commit().await?;
    Ok(row)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Done,
    PutOff,
    Failed,
    /// Given back, or taken over by somebody else.
    Stopped,
}

async fn bring(app: &App, row: &IntakeRow) -> Result<Ended> {
    tracing::debug!(intake.id = %row.id, attempt = row.attempts, kind = %row.kind, "importing a file");
    let control = FetchControl::default();
    let result = {
        let mut fetching = Box::pin(fetch(app, row, &control));
        tokio::select! {
            result = &mut fetching => result,
            () = keep(app, row, &control) => {
                control.stop();
                fetching.await
            }
        }
    };
    settle(app, row, result).await
}

/// Renews the lease until it is lost, or until this instance stops.
async fn keep(app: &App, row: &IntakeRow, control: &FetchControl) {
    loop {
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            () = tokio::time::sleep(RENEW_EVERY) => {}
        }
        match renew(app, row, control).await {
            Ok(true) => {}
            Ok(false) => return,
            // The lease lasts for a while yet.
            Err(error) => {
                tracing::warn!(intake.id = %row.id, %error, "cannot renew the lease of a file import");
            }
        }
    }
}

async fn renew(app: &App, row: &IntakeRow, control: &FetchControl) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let until = app.clock.now() + LEASE;
    let held = intakes::renew_if_held(&mut tx, row.held(), control.received(), until).await?;
    tx.commit().await?;
    Ok(held)
}

async fn fetch(app: &App, row: &IntakeRow, control: &FetchControl) -> Done<Became> {
    if let Some(upload) = known(app, row).await? {
        if let Some(became) = upload.became {
            return Ok(became);
        }
        // Every byte is here; it could not be queued then.
        if upload.received == upload.length && upload.expires_at > app.clock.now() {
            let none = control.over(futures::stream::empty());
            return copy(app, row, &upload, none, control).await;
        }
    }
    let (file, facts) = match row.kind {
        IntakeKind::Url => return url::fetch(app, row, control).await,
        IntakeKind::Path => open_named(app, row).await?,
        IntakeKind::Watch => open_watched(app, row).await?,
    };
    let version = facts.version();
    let upload = match reusable(app, row, facts.size, Some(&version)).await? {
        Some(upload) => upload,
        None => prepare(app, row, facts.size, Some(&version)).await?,
    };
    let from = upload.received.unsigned_abs();
    let pieces = control.over(of_file(file, facts, from, row.place.clone()));
    copy(app, row, &upload, pieces, control).await
}

/// The upload of an earlier try.
async fn known(app: &App, row: &IntakeRow) -> Done<Option<Upload>> {
    match row.upload_id {
        Some(id) => Ok(upload::peek(app, id).await?),
        None => Ok(None),
    }
}

async fn open_named(app: &App, row: &IntakeRow) -> Done<(std::fs::File, Facts)> {
    let place = Place::find(&app.settings.intake, Path::new(&row.place))?;
    blocking(move || place.open()).await
}

async fn open_watched(app: &App, row: &IntakeRow) -> Done<(std::fs::File, Facts)> {
    let Some(folder) = app.settings.watch.watch_dir.clone() else {
        return Err(IntakeError::new(Kind::Passing, "no_watch_dir", "This instance has no watch folder."));
    };
    let path = row.place.clone();
    let (file, facts) = blocking(move || Folder::open(&folder)?.file(Path::new(&path))).await?;
    let seen = watched_files::of_intake(&app.db, row.id).await?;
    let same = |seen: &watched_files::WatchedRow| {
        seen.size.unsigned_abs() == facts.size && seen.changed_ns == facts.changed_ns
    };
    if seen.is_some_and(|seen| same(&seen)) {
        Ok((file, facts))
    } else {
        Err(IntakeError::changed(&row.place))
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, Refusal> + Send + 'static,
) -> Done<T> {
    let done = tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| IntakeError::from(crate::error::ApiError::from(error)))?;
    Ok(done?)
}

/// The upload of an earlier try, if it has bytes of this version.
pub(super) async fn reusable(
    app: &App,
    row: &IntakeRow,
    size: u64,
    version: Option<&str>,
) -> Done<Option<Upload>> {
    let same = |upload: &Upload| {
        version.is_some()
            && row.version.as_deref() == version
            && upload.length.unsigned_abs() == size
            && upload.expires_at > app.clock.now()
    };
    Ok(known(app, row).await?.filter(same))
}

/// A new upload that takes the bytes; what an earlier try left goes.
pub(super) async fn prepare(app: &App, row: &IntakeRow, size: u64, version: Option<&str>) -> Done<Upload> {
    if let Some(old) = row.upload_id {
        drop_upload(app, old).await;
    }
    let new = NewUpload { length: size, metadata: String::new(), request: row.request.0.clone() };
    let upload = upload::create(app, new).await?;
    let mut tx = app.db.begin().await?;
    let held = intakes::set_upload_if_held(&mut tx, row.held(), upload.id, upload.length, version).await?;
    tx.commit().await?;
    if held {
        return Ok(upload);
    }
    drop_upload(app, upload.id).await;
    Err(IntakeError::stopped())
}

/// The end of an upload like every other.
pub(super) async fn copy(
    app: &App,
    row: &IntakeRow,
    upload: &Upload,
    pieces: Pieces,
    control: &FetchControl,
) -> Done<Became> {
    let from = upload.received.unsigned_abs();
    control.set_received(from);
    let received = upload::receive(app, upload.id, from, None, pieces, &row.actor).await;
    match received {
        Ok(Upload { became: Some(became), .. }) => Ok(became),
        Ok(_) => {
            Err(IntakeError::new(Kind::Passing, "body_cut", "The file ended before all of it was received."))
        }
        Err(error) => Err(control.take_error().unwrap_or_else(|| error.into())),
    }
}

async fn settle(app: &App, row: &IntakeRow, result: Done<Became>) -> Result<Ended> {
    let error = match result {
        Ok(became) => return finish(app, row, became).await,
        Err(error) => error,
    };
    let now = app.clock.now();
    if error.kind == Kind::Stopped {
        let mut tx = app.db.begin().await?;
        intakes::release_if_held(&mut tx, row.held(), now).await?;
        tx.commit().await?;
        return Ok(Ended::Stopped);
    }
    let attempts = i32::from(app.settings.intake.intake_attempts);
    let again = match error.kind {
        // A file of the watch folder is taken anew when it is at rest.
        Kind::Changed => row.kind != IntakeKind::Watch && error.code != "file_missing",
        kind => kind == Kind::Passing,
    };
    if again && row.attempts < attempts {
        let due = now + pause(row.attempts);
        let mut tx = app.db.begin().await?;
        let held = intakes::put_off_if_held(&mut tx, row.held(), due, &error.code, &error.detail).await?;
        tx.commit().await?;
        if !held {
            return Ok(Ended::Stopped);
        }
        tracing::warn!(intake.id = %row.id, attempt = row.attempts, error = error.detail, "file import failed; retrying");
        return Ok(Ended::PutOff);
    }
    fail(app, row, &error).await
}

/// 30 s, a minute, two, and so on.
fn pause(attempts: i32) -> Duration {
    let doublings = u32::try_from(attempts - 1).unwrap_or_default().min(16);
    (FIRST_PAUSE * 2_i32.pow(doublings)).min(LONGEST_PAUSE)
}

async fn finish(app: &App, row: &IntakeRow, became: Became) -> Result<Ended> {
    let now = app.clock.now();
    let outcome = Outcome { video: became.video, job: became.job, deduplicated: became.deduplicated };
    let mut tx = app.db.begin().await?;
    if !intakes::finish_if_held(&mut tx, row.held(), outcome, now).await? {
        return Ok(Ended::Stopped);
    }
    watched_files::settle(&mut tx, row.id, WatchedState::Done, None).await?;
    let event =
        Event::of_video(EventKind::IntakeDone, &row.actor, became.video).because(shown(row.kind, &row.place));
    events::append(&mut tx, event, now).await?;
    tx.commit().await?;
    tracing::info!(intake.id = %row.id, video.id = %became.video, "file imported");
    app.watch.wake();
    Ok(Ended::Done)
}

async fn fail(app: &App, row: &IntakeRow, error: &IntakeError) -> Result<Ended> {
    let now = app.clock.now();
    let upload = intakes::get(&app.db, row.id).await?.and_then(|row| row.upload_id);
    let mut tx = app.db.begin().await?;
    if !intakes::fail_if_held(&mut tx, row.held(), &error.code, &error.detail, now).await? {
        return Ok(Ended::Stopped);
    }
    if error.kind == Kind::Changed {
        watched_files::forget(&mut tx, row.id).await?;
    } else {
        watched_files::settle(&mut tx, row.id, WatchedState::Failed, Some(&error.detail)).await?;
    }
    let event = Event::new(EventKind::IntakeFailed, &row.actor).because(format!(
        "{}: {}",
        shown(row.kind, &row.place),
        error.detail
    ));
    events::append(&mut tx, event, now).await?;
    tx.commit().await?;
    tracing::warn!(intake.id = %row.id, error = error.detail, "file import failed");
    if let Some(upload) = upload {
        drop_upload(app, upload).await;
    }
    app.watch.wake();
    Ok(Ended::Failed)
}
