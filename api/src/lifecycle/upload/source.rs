//! The bytes of a whole upload become a source: stored under its name, and hashed.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{UploadId, VideoId};
use framefarm_shared::object_key::ObjectKey;
use futures::TryStreamExt as _;
use sha2::{Digest as _, Sha256};

use super::errors::damaged;
use super::parts::remote;
use super::{UploadRow, space};
use crate::app::App;
use crate::db::upload_parts;
use crate::error::{ApiError, Result};
use crate::lifecycle::enqueue::Source;
use crate::storage::{Error, StoredPart};
use crate::uploads::digests;

/// Of a staging file, which stays for the caller to remove.
///
/// The object's name is new with every call, so that taking it back after a failure cannot hit what somebody else
/// made of the same upload.
pub(super) async fn of_file(app: &App, id: UploadId, length: u64, since: DateTime<Utc>) -> Result<Source> {
    let sha256 = hex::encode(app.uploads.sha256(id, length).await?);
    let size = i64::try_from(length).map_err(|_| space::too_large(app))?;
    let video = VideoId::new(&app.clock);
    app.storage.link(&app.uploads.path(id), &ObjectKey::Source { video }).await?;
    Ok(Source { video, size, sha256, since })
}

/// Of parts in an object store.
///
/// The object's name is as old as the upload, so completing it again, or finding it complete, ends the same way: this may
/// be called again after any failure, and by two instances at once.
pub(super) async fn of_parts(app: &App, row: &UploadRow) -> Result<Source> {
    let video = row.source_id.ok_or_else(|| damaged("it has no stored object"))?;
    let key = ObjectKey::Source { video };
    complete(app, row, &key).await?;
    let sha256 = match row.digest.as_deref().and_then(digests::restore) {
        Some(state) => digests::finish(state),
        None => read(app, &key).await?,
    };
    Ok(Source { video, size: row.received, sha256: hex::encode(sha256), since: row.created_at })
}

/// Makes the object out of its parts, unless that has happened.
async fn complete(app: &App, row: &UploadRow, key: &ObjectKey) -> Result<()> {
    if is_complete(app, row, key).await? {
        return Ok(());
    }
    let rows = upload_parts::all(&app.db, row.id).await?;
    if rows.iter().map(|part| part.size).sum::<i64>() != row.received {
        return Err(damaged("its parts have an unexpected length"));
    }
    let parts: Vec<StoredPart> = rows
        .into_iter()
        .map(|part| StoredPart { number: part.number.unsigned_abs(), tag: part.tag })
        .collect();
    let multipart = row.multipart.as_deref().unwrap_or_default();
    match remote(app)?.complete(key, multipart, &parts).await {
        Ok(()) => Ok(()),
        // Somebody else may have completed it meanwhile.
        Err(error) => match is_complete(app, row, key).await {
            Ok(true) => Ok(()),
            _ if is_missing(&error) => Err(damaged("the object store has neither its parts nor the object")),
            _ => Err(error.into()),
        },
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Store(object_store::Error::NotFound { .. }))
}

async fn is_complete(app: &App, row: &UploadRow, key: &ObjectKey) -> Result<bool> {
    match app.storage.head(key).await {
        Ok(meta) if meta.size == row.received.unsigned_abs() => Ok(true),
        Ok(_) => Err(damaged("the object has an unexpected length")),
        Err(object_store::Error::NotFound { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Where the running digest was lost.
async fn read(app: &App, key: &ObjectKey) -> Result<[u8; 32]> {
    let stream = app.storage.stream(key, None).await?;
    let state = stream.try_fold(Sha256::new(), |mut state, bytes| async move {
        state.update(&bytes);
        Ok(state)
    });
    Ok(digests::finish(state.await.map_err(ApiError::from)?))
}
