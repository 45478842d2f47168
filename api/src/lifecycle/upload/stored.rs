//! Parts in an object store become a source, and a video with its job.
//!
//! The object's name is as old as the upload, so completing it again, or finding it complete, ends the same way. It is
//! removed only where a committed transaction says that nothing refers to it.

use framefarm_shared::object_key::ObjectKey;
use futures::TryStreamExt as _;
use sha2::{Digest as _, Sha256};

use super::errors::{changed, damaged};
use super::parts::remote;
use super::{UploadRequest, UploadRow};
use crate::app::App;
use crate::db::{Tx, upload_parts, uploads};
use crate::error::{ApiError, Result};
use crate::lifecycle::enqueue::{self, Enqueued, Source};
use crate::storage::{Error, StoredPart};
use crate::uploads::digests;

/// What becomes of the row in the transaction that makes the video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// It stays for a while and says what the upload became.
    Sealed,
    /// Nobody will ask for it.
    Gone,
}

/// Everything in `row` was received. May be called again after any failure, and by two instances at once.
pub(super) async fn enqueue(
    app: &App,
    row: &UploadRow,
    request: UploadRequest,
    actor: &str,
    settled: Settled,
) -> Result<Enqueued> {
    let video = row.source_id.ok_or_else(|| damaged("it has no stored object"))?;
    let key = ObjectKey::Source { video };
    complete(app, row, &key).await?;
    let sha256 = match row.digest.as_deref().and_then(digests::restore) {
        Some(state) => digests::finish(state),
        None => read(app, &key).await?,
    };
    let (sha256, since) = (hex::encode(sha256), row.created_at);
    let source = Source { video, size: row.received, sha256, since };
    let mut tx = app.db.begin().await?;
    let enqueued = match enqueue_in(app, &mut tx, row, source, request, actor, settled).await {
        Ok(enqueued) => enqueued,
        Err(error) => {
            tx.rollback().await?;
            return Err(error);
        }
    };
    tx.commit().await?;
    if !enqueued.source_kept
        && let Err(error) = app.storage.delete_key(&key).await
    {
        tracing::warn!(%error, object = key.path(), "could not delete an unused source; it is now orphaned");
    }
    Ok(enqueued)
}

async fn enqueue_in(
    app: &App,
    tx: &mut Tx,
    row: &UploadRow,
    source: Source,
    request: UploadRequest,
    actor: &str,
    settled: Settled,
) -> Result<Enqueued> {
    let enqueued = enqueue::enqueue_in(app, tx, source, request, actor).await?;
    let (video, job) = (enqueued.video.id, enqueued.job.as_ref().map(|job| job.id));
    let done = match settled {
        Settled::Sealed => uploads::seal_if_whole(tx, row.id, video, job, enqueued.deduplicated).await?,
        Settled::Gone => uploads::delete_if_turn(tx, row.id, row.turn).await?,
    };
    if done { Ok(enqueued) } else { Err(changed()) }
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
