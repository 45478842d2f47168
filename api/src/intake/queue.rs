//! Adds, cancels and retries file imports.

use std::path::Path;

use framefarm_shared::id::IntakeId;
use framefarm_shared::intake::{IntakeKind, WatchedState};
use framefarm_shared::wire::event::EventKind;
use sha2::{Digest as _, Sha256};

use super::folders::Place;
use super::url::egress;
use crate::app::App;
use crate::db::events::{self, Event};
use crate::db::intakes::{self, NewIntake};
use crate::db::uploads::UploadRequest;
use crate::db::watched_files;
use crate::error::{ApiError, Result};
use crate::lifecycle::enqueue::check_request;
use crate::lifecycle::file_name::clean_file_name;
use crate::lifecycle::upload;

/// One file that somebody names.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub from: Origin,
    /// Its file name is told by where it comes from.
    pub request: UploadRequest,
}

#[derive(Clone, Debug)]
pub enum Origin {
    Url(String),
    Path(String),
}

/// What became of one item of a batch.
#[derive(Debug)]
pub enum Taken {
    Accepted(IntakeId),
    /// The same is waiting or being fetched already.
    Duplicate(IntakeId),
    Refused(ApiError),
}

/// Takes what can be taken, in one transaction; the answers are in the order of the items. An item may come refused.
pub async fn add(app: &App, wanted: Vec<Result<Wanted>>, actor: &str) -> Result<Vec<Taken>> {
    let now = app.clock.now();
    let mut checked = Vec::with_capacity(wanted.len());
    for item in wanted {
        checked.push(match item {
            Ok(item) => check(app, item, actor).await,
            Err(error) => Err(error),
        });
    }
    let mut tx = app.db.begin().await?;
    let mut taken = Vec::with_capacity(checked.len());
    let mut accepted = 0_u64;
    for item in checked {
        taken.push(match item {
            Err(error) if error.status.is_server_error() => return Err(error),
            Err(error) => Taken::Refused(error),
            Ok(new) => match intakes::insert_unless_live(&mut tx, &new, now).await? {
                Some(row) => {
                    accepted += 1;
                    Taken::Accepted(row.id)
                }
                None => match intakes::live_by_identity(&mut tx, &new.identity).await? {
                    Some(row) => Taken::Duplicate(row.id),
                    None => Taken::Refused(in_this_moment()),
                },
            },
        });
    }
    if accepted > 0 {
        let files = if accepted == 1 { "1 file".to_owned() } else { format!("{accepted} files") };
        events::append(&mut tx, Event::new(EventKind::IntakeQueued, actor).because(files), now).await?;
    }
    tx.commit().await?;
    Ok(taken)
}

fn in_this_moment() -> ApiError {
    ApiError::conflict(
        "duplicate_in_flight",
        "The same file was submitted at the same time; send the request again.",
    )
}

async fn check(app: &App, wanted: Wanted, actor: &str) -> Result<NewIntake> {
    let Wanted { from, mut request } = wanted;
    let (kind, place, size) = match from {
        Origin::Path(path) => {
            let (place, size) = check_path(app, path).await?;
            (IntakeKind::Path, place, Some(size))
        }
        Origin::Url(url) => (IntakeKind::Url, check_url(app, &url)?, None),
    };
    if let Some(name) = file_name(kind, &place) {
        request.file_name = name;
    }
    check_request(app, &request).await?;
    Ok(NewIntake {
        id: IntakeId::new(&app.clock),
        identity: identity(kind, &place, &request),
        kind,
        place,
        request,
        actor: actor.to_owned(),
        size,
    })
}

async fn check_path(app: &App, path: String) -> Result<(String, i64)> {
    if path.contains('\0') {
        return Err(ApiError::zero_byte());
    }
    let place = Place::find(&app.settings.intake, Path::new(&path)).map_err(|_| {
        let detail = if app.settings.intake.folders().is_empty() {
            "Imports from folders on the server are disabled; allow folders with the setting intake_dirs."
                .to_owned()
        } else {
            "The path is not inside a folder listed in the setting intake_dirs.".to_owned()
        };
        ApiError::forbidden("path_not_allowed", detail)
    })?;
    let whole = place.whole().to_string_lossy().into_owned();
    let facts = tokio::task::spawn_blocking(move || place.look()).await?;
    let facts = facts.map_err(|refusal| ApiError::unprocessable(refusal.code(), refusal.to_string()))?;
    if facts.size == 0 {
        return Err(ApiError::bad_request("empty_upload", "The file is empty; there is nothing to encode."));
    }
    upload::check_size(app, facts.size)?;
    Ok((whole, i64::try_from(facts.size).unwrap_or(i64::MAX)))
}

fn check_url(app: &App, url: &str) -> Result<String> {
    if !app.settings.intake.intake_urls {
        let detail = "Imports by URL are disabled (setting intake_urls); upload the file instead.";
        return Err(ApiError::forbidden("url_not_allowed", detail));
    }
    let url = egress(app).check(url);
    let url = url.map_err(|refusal| ApiError::unprocessable("url_not_allowed", refusal.to_string()))?;
    Ok(url.into())
}

/// The last part of a path or of an address, as the file's name.
fn file_name(kind: IntakeKind, place: &str) -> Option<String> {
    let name = match kind {
        IntakeKind::Url => {
            let url = reqwest::Url::parse(place).ok()?;
            let last = url.path_segments()?.next_back()?.to_owned();
            percent_encoding::percent_decode_str(&last).decode_utf8_lossy().into_owned()
        }
        IntakeKind::Path | IntakeKind::Watch => Path::new(place).file_name()?.to_string_lossy().into_owned(),
    };
    let name = clean_file_name(&name.replace(['/', '\\'], ""));
    (!name.is_empty()).then_some(name)
}

/// The same place for the same work; whatever its title and its priority.
pub(super) fn identity(kind: IntakeKind, place: &str, request: &UploadRequest) -> String {
    let mut qualities = request.qualities.clone().unwrap_or_default();
    qualities.sort_unstable();
    qualities.dedup();
    let mut hash = Sha256::new();
    for part in [
        kind.as_str(),
        place,
        request.collection.as_deref().map(str::trim).unwrap_or_default(),
        &qualities.join(","),
        if request.force { "force" } else { "" },
    ] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

/// Cancels a waiting or running import.
pub async fn cancel(app: &App, id: IntakeId, actor: &str) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let Some(row) = intakes::cancel_if_live(&mut tx, id, now).await? else {
        drop(tx);
        return Err(match intakes::get(&app.db, id).await? {
            None => ApiError::no_such("import"),
            Some(row) => ApiError::conflict("intake_ended", format!("This import is already {}.", row.state)),
        });
    };
    watched_files::settle(&mut tx, id, WatchedState::Failed, Some("The import was cancelled.")).await?;
    let event = Event::new(EventKind::IntakeCancelled, actor).because(shown(row.kind, &row.place));
    events::append(&mut tx, event, now).await?;
    tx.commit().await?;
    if let Some(upload) = row.upload_id {
        // Whoever copies into it is overtaken by this.
        drop_upload(app, upload).await;
    }
    app.watch.wake();
    Ok(())
}

/// Retries a failed or cancelled import.
pub async fn retry(app: &App, id: IntakeId, actor: &str) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let Some(row) = intakes::retry_if_ended(&mut tx, id, now).await? else {
        drop(tx);
        return Err(match intakes::get(&app.db, id).await? {
            None => ApiError::no_such("import"),
            Some(row) if row.ended_at.is_none() || row.video_id.is_some() => ApiError::conflict(
                "intake_not_failed",
                format!("Only a failed or cancelled import can be retried; this one is {}.", row.state),
            ),
            Some(_) => ApiError::conflict("already_queued", "The same file is already being imported."),
        });
    };
    if row.kind == IntakeKind::Watch && !watched_files::take_again_if_failed(&mut tx, id).await? {
        let detail = "The file is no longer where it was; put it back into the watch folder.";
        return Err(ApiError::conflict("file_moved", detail));
    }
    let event = Event::new(EventKind::IntakeRetried, actor).because(shown(row.kind, &row.place));
    events::append(&mut tx, event, now).await?;
    tx.commit().await?;
    Ok(())
}

pub(super) async fn drop_upload(app: &App, upload: framefarm_shared::id::UploadId) {
    match upload::terminate(app, upload).await {
        Err(error) if error.code != "not_found" => {
            tracing::warn!(upload.id = %upload, %error, "could not delete the upload of an import; it is removed when it expires");
        }
        _ => {}
    }
}

/// Where a file comes from, for people: a URL without the parts that may hold a secret.
pub fn shown(kind: IntakeKind, place: &str) -> String {
    match kind {
        IntakeKind::Url => match reqwest::Url::parse(place) {
            Ok(mut url) => {
                url.set_query(None);
                url.set_fragment(None);
                url.to_string()
            }
            Err(_) => "a URL".to_owned(),
        },
        IntakeKind::Path | IntakeKind::Watch => place.to_owned(),
    }
}
