//! A worker delivers an image or a subtitle: checked, stored under its content's hash, then written down.
//!
//! Like a part, it is fenced before its bytes are taken and again in the transaction that makes it count. Unlike a
//! segment it may be replaced by the same job: another attempt may draw other images. Then the old object goes.

use std::fmt::Display;

use bytes::Bytes;
use framefarm_shared::extra_file::ExtraFile;
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::object_key::{MediaFile, Naming};
use framefarm_shared::wire::worker_api::LeaseReply;
use futures::Stream;

use super::refusal::refuse;
use super::{allowance, publish, receive_part, upload};
use crate::app::App;
use crate::db::extra_files::ExtraFileRow;
use crate::db::job;
use crate::db::job::JobRow;
use crate::db::job::renew::Holder;
use crate::db::qualities::GenerationKey;
use crate::db::{Tx, extra_files, generations};
use crate::error::{ApiError, Result};
use crate::sidecars;

/// Which file a worker says to deliver.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    pub worker: WorkerId,
    pub job: JobId,
    pub fence: i64,
    pub file: ExtraFile,
}

/// Takes a file from its first byte to its place in the generation.
pub async fn take<S, E>(app: &App, new: &Attachment, sha256: [u8; 32], mut body: S) -> Result<LeaseReply>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
    E: Display,
{
    let key = expect(app, new).await?;
    let _room = app.staging.room(new.worker, new.file.max_bytes()).await?;
    let dir = tempfile::TempDir::new_in(app.scratch())?;
    let path = dir.path().join("file");
    if receive_part::save(&path, &mut body, new.file.max_bytes(), too_large).await? != sha256 {
        let detail = "The bytes do not match Repr-Digest; send the file again.";
        return Err(ApiError::bad_request("digest_mismatch", detail));
    }
    let bytes = tokio::fs::read(&path).await?;
    sidecars::check(new.file, &bytes)
        .map_err(|file_error| ApiError::unprocessable(file_error.code(), file_error.to_string()))?;
    let row = row_of(new, sha256, bytes.len())?;
    let _turn = app.staging.turn(&key.prefix()).await;
    let old = judge(app, new, key, &row).await?;
    let naming = generations::naming(&app.db, key).await?;
    if old.as_ref().is_none_or(|old| !is_stored_as(old, &row)) {
        let file = MediaFile::Extra { file: new.file, digest: naming.digest(sha256) };
        app.storage.adopt(&path, &key.object(file)).await?;
    }
    let reply = accept(app, new, key, sha256, bytes.len()).await?;
    if let Some(old) = old.filter(|old| old.carried_from.is_none() && old.sha256 != row.sha256) {
        drop_object(app, key, naming, &old).await;
    }
    Ok(reply)
}

fn row_of(new: &Attachment, sha256: [u8; 32], size: usize) -> Result<ExtraFileRow> {
    Ok(ExtraFileRow {
        kind: new.file.kind(),
        name: new.file.name(),
        carried_from: None,
        sha256: sha256.to_vec(),
        size: i64::try_from(size).map_err(|error| ApiError::internal(&error))?,
    })
}

/// Whether the object of a row is there under the name that another one needs.
fn is_stored_as(old: &ExtraFileRow, new: &ExtraFileRow) -> bool {
    old.carried_from.is_none() && old.sha256 == new.sha256
}

/// Refuses what cannot count, before it is stored; gives back what it replaces.
async fn judge(
    app: &App,
    new: &Attachment,
    key: GenerationKey,
    row: &ExtraFileRow,
) -> Result<Option<ExtraFileRow>> {
    let now = app.clock.now();
    let by = Holder { worker: new.worker, job: new.job, fence: new.fence, now };
    if !job::renew::is_held(&app.db, by).await? {
        let mut tx = app.db.begin().await?;
        return refuse(app, &mut tx, by).await;
    }
    let mut tx = app.db.begin_reading().await?;
    let old = extra_files::get_in(&mut tx, key, row.kind, &row.name).await?;
    let here = extra_files::total_size(&mut tx, key).await? - old.as_ref().map_or(0, |old| old.size);
    let plan = generations::plan_in(&mut tx, key.video, key.number).await?;
    tx.rollback().await?;
    let after = here.saturating_add(row.size).max(0).unsigned_abs();
    allowance::check("All images and subtitles", after, allowance::of_sidecars(plan.as_ref()))?;
    Ok(old)
}

/// What cannot be deleted is swept as an orphan.
async fn drop_object(app: &App, key: GenerationKey, naming: Naming, row: &ExtraFileRow) {
    let Some((_, file)) = publish::sidecars::stored(row, naming) else { return };
    let key = key.object(file);
    if let Err(error) = app.storage.delete_key(&key).await {
        tracing::warn!(%error, object = key.path(), "could not delete a replaced file; it is now orphaned");
    }
}

pub fn too_large(most: u64) -> ApiError {
    let detail = format!("The file exceeds the limit of {most} bytes.");
    ApiError::too_large("file_too_large", detail)
}

/// Refuses early what could not count anyway.
pub async fn expect(app: &App, new: &Attachment) -> Result<GenerationKey> {
    let mut tx = app.db.begin().await?;
    let job = touch(app, &mut tx, new).await?;
    if !job.queue_type.makes_generation() {
        let detail = format!("A {} job has no generation to add files to.", job.queue_type);
        return Err(ApiError::unprocessable("no_generation", detail));
    }
    let key = GenerationKey { video: job.video_id, number: job.generation };
    if let ExtraFile::Subtitle(track) = new.file {
        check_track(&mut tx, key, track).await?;
    }
    tx.commit().await?;
    upload::check_room_for_delivery(app)?;
    Ok(key)
}

async fn check_track(tx: &mut Tx, key: GenerationKey, track: u32) -> Result<()> {
    let Some(plan) = generations::plan_in(tx, key.video, key.number).await? else {
        return Err(ApiError::conflict("no_plan", "Send the plan of this job before its subtitles."));
    };
    let tracks = plan.source.subtitles.len();
    if usize::try_from(track).is_ok_and(|track| track < tracks) {
        return Ok(());
    }
    let detail =
        format!("Unknown subtitle track {track}: the plan of this job has {tracks}, counted from 0.");
    Err(ApiError::unprocessable("unknown_track", detail))
}

/// Makes a stored file count.
pub async fn accept(
    app: &App,
    new: &Attachment,
    key: GenerationKey,
    sha256: [u8; 32],
    size: usize,
) -> Result<LeaseReply> {
    let row = row_of(new, sha256, size)?;
    let mut tx = app.db.begin().await?;
    touch(app, &mut tx, new).await?;
    extra_files::put(&mut tx, key, &row, app.clock.now()).await?;
    tx.commit().await?;
    Ok(LeaseReply { lease_seconds: app.settings.lease_seconds() })
}

/// Holds the job and renews its lease, or says why not.
async fn touch(app: &App, tx: &mut Tx, new: &Attachment) -> Result<JobRow> {
    let now = app.clock.now();
    let by = Holder { worker: new.worker, job: new.job, fence: new.fence, now };
    match job::renew::touch_if_held(tx, by, now + app.settings.lease()).await? {
        Some(job) => Ok(job),
        None => refuse(app, tx, by).await,
    }
}
