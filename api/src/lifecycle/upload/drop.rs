//! Uploads that will not become a video.

use framefarm_shared::id::UploadId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::state::UploadStatus;

use super::UploadRow;
use crate::app::App;
use crate::db::uploads;
use crate::error::{ApiError, Result};

/// Drops an upload. What it became already stays.
pub async fn terminate(app: &App, id: UploadId) -> Result<()> {
    let _held = app.uploads.hold(id).await?;
    let mut tx = app.db.begin().await?;
    let taken = uploads::take(&mut tx, id).await?;
    tx.commit().await?;
    let row = taken.ok_or_else(|| ApiError::no_such("upload"))?;
    drop_taken(app, &row).await
}

/// For whoever took the upload.
pub(super) async fn drop_taken(app: &App, row: &UploadRow) -> Result<()> {
    remove_bytes(app, row).await?;
    let mut tx = app.db.begin().await?;
    uploads::delete(&mut tx, row.id).await?;
    tx.commit().await?;
    Ok(())
}

/// Drops an upload that has expired. Returns whether it did.
pub async fn expire(app: &App, id: UploadId) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let taken = uploads::take_if_expired(&mut tx, id, now).await?;
    tx.commit().await?;
    let Some(row) = taken else { return Ok(false) };
    remove_bytes(app, &row).await?;
    let mut tx = app.db.begin().await?;
    let gone = uploads::delete_if_expired(&mut tx, id, now).await?;
    tx.commit().await?;
    Ok(gone)
}

/// To be called by whoever took the upload, and before its row goes: the row is what knows of the parts. An object
/// that was completed already is left to the sweep, for somebody may be about to refer to it.
async fn remove_bytes(app: &App, row: &UploadRow) -> Result<()> {
    if let (Some(remote), Some(video), Some(multipart)) =
        (app.storage.remote(), row.source_id, &row.multipart)
        && row.status == UploadStatus::Open
    {
        remote.abort(&ObjectKey::Source { video }, multipart).await?;
    }
    remove_staged(app, row).await
}

/// What an upload has beside its source.
pub(super) async fn remove_staged(app: &App, row: &UploadRow) -> Result<()> {
    if row.multipart.is_some() {
        app.storage.delete_prefix(&ObjectKey::upload_prefix(row.id)).await?;
    }
    Ok(app.uploads.remove(row.id).await?)
}
