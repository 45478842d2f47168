//! A whole upload becomes a video with its job.

use framefarm_shared::state::UploadStatus;

use super::drop::remove_staged;
use super::finish::{RowEnd, finish};
use super::{Upload, UploadRow, find, is_whole, source};
use crate::app::App;
use crate::db::uploads;
use crate::error::{ApiError, Result};
use crate::lifecycle::FARM;
use crate::lifecycle::enqueue::Enqueued;

/// To be called by whoever holds the upload.
pub(super) async fn seal(app: &App, row: &UploadRow, actor: &str) -> Result<Upload> {
    let sealed = enqueue(app, row, actor).await;
    let after = find(app, row.id).await?;
    if after.status != UploadStatus::Sealed {
        return Err(sealed.err().unwrap_or_else(|| ApiError::no_such("upload")));
    }
    // The video has its own name for the bytes now; a file that stays is swept with its row.
    if let Err(error) = remove_staged(app, row).await {
        tracing::warn!(upload = %row.id, %error, "could not delete the staging data of a sealed upload");
    }
    Ok(after.into())
}

async fn enqueue(app: &App, row: &UploadRow, actor: &str) -> Result<Enqueued> {
    let source = if row.multipart.is_some() {
        source::of_parts(app, row).await?
    } else {
        source::of_file(app, row.id, row.length.unsigned_abs(), row.created_at).await?
    };
    finish(app, source, row.request.0.clone(), actor, RowEnd::Sealed(row)).await
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
