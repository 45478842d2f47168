//! A whole upload becomes a video with its job.

use framefarm_shared::state::UploadStatus;
use std::path::Path;

use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;

use super::stored::{self, Settled};
use super::{Upload, UploadRow, find, is_whole};
use crate::app::App;
use crate::db::Tx;
use crate::db::uploads::{self, UploadRequest};
use crate::error::{ApiError, Result};
use crate::lifecycle::FARM;
use crate::lifecycle::enqueue::{self, Enqueued, Source};

/// To be called by whoever holds the upload.
pub(super) async fn seal(app: &App, row: &UploadRow, actor: &str) -> Result<Upload> {
    let sealed = if row.multipart.is_some() {
        stored::enqueue(app, row, row.request.0.clone(), actor, Settled::Sealed).await
    } else {
        seal_file(app, row, actor).await
    };
    let after = find(app, row.id).await?;
    if after.status != UploadStatus::Sealed {
        return Err(sealed.err().unwrap_or_else(|| ApiError::no_such("upload")));
    }
    // The video has its own name for the bytes now; a file that stays is swept with its row.
    if let Err(error) = remove_bytes(app, row).await {
        tracing::warn!(upload = %row.id, %error, "could not delete the staging data of a sealed upload");
    }
    Ok(after.into())
}

async fn remove_bytes(app: &App, row: &UploadRow) -> Result<()> {
    if row.multipart.is_some() {
        app.storage.delete_prefix(&ObjectKey::upload_prefix(row.id)).await?;
    }
    Ok(app.uploads.remove(row.id).await?)
}

async fn seal_file(app: &App, row: &UploadRow, actor: &str) -> Result<Enqueued> {
    let sha256 = app.uploads.sha256(row.id, row.length.unsigned_abs()).await?;
    let (video, since) = (VideoId::new(&app.clock), row.created_at);
    let source = Source { video, size: row.length, sha256: hex::encode(sha256), since };
    enqueue_file(app, &app.uploads.path(row.id), source, row.request.0.clone(), actor, Some(row)).await
}

/// Stores a whole file as the source of a new video and enqueues it. The file itself stays for the caller to remove.
///
/// The object's name is new with every call, so that taking it back after a failure cannot hit what somebody else
/// made of the same upload. A commit whose outcome is unknown keeps it; if there is no video, it is swept.
pub(super) async fn enqueue_file(
    app: &App,
    file: &Path,
    source: Source,
    request: UploadRequest,
    actor: &str,
    upload: Option<&UploadRow>,
) -> Result<Enqueued> {
    let key = ObjectKey::Source { video: source.video };
    app.storage.link(file, &key).await?;
    let mut tx = app.db.begin().await?;
    let enqueued = match enqueue_in(app, &mut tx, source, request, actor, upload).await {
        Ok(enqueued) => enqueued,
        Err(error) => {
            tx.rollback().await?;
            app.storage.delete_key(&key).await?;
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
    source: Source,
    request: UploadRequest,
    actor: &str,
    upload: Option<&UploadRow>,
) -> Result<Enqueued> {
    let enqueued = enqueue::enqueue_in(app, tx, source, request, actor).await?;
    if let Some(upload) = upload {
        let (video, job) = (enqueued.video.id, enqueued.job.as_ref().map(|job| job.id));
        if !uploads::seal_if_whole(tx, upload.id, video, job, enqueued.deduplicated).await? {
            return Err(ApiError::conflict(
                "upload_changed",
                "The upload was deleted or finished by another request.",
            ));
        }
    }
    Ok(enqueued)
}

/// Seals what was whole when the API ended, and what could not be queued before.
pub async fn seal_forgotten(app: &App) -> Result<u64> {
    let mut sealed = 0;
    for row in uploads::whole_but_open(&app.db).await? {
        let Some(_held) = app.uploads.hold_if_free(row.id) else { continue };
        let Some(row) = uploads::get(&app.db, row.id).await?.filter(is_whole) else { continue };
        match seal(app, &row, FARM).await {
            Ok(_) => sealed += 1,
            Err(error) => {
                tracing::warn!(upload = %row.id, %error, "could not seal a complete upload; will retry");
            }
        }
    }
    Ok(sealed)
}
