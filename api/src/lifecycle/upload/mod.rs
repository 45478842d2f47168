//! Bytes arrive: an upload is created, receives, and is sealed into a video with its job.
//!
//! The database counts only what is safely stored, and a staging file stays until the transaction that makes the
//! video has committed. So a crash at any instant leaves an upload that goes on from its offset, an upload that can
//! be sealed (again), or a video with its source.
//!
//! In one process a lock lets one request at a time work on an upload. Between instances the turn does: each request
//! takes the next one, and whoever has an older one can count and reserve nothing more.

mod drop;
mod errors;
mod finish;
mod owner;
mod parts;
mod receive;
mod seal;
mod sink;
mod source;
mod space;
mod whole;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::{JobId, UploadId, VideoId};
use framefarm_shared::state::UploadStatus;

pub use self::drop::{expire, terminate};
pub use self::owner::{Owner, check_owner};
pub use self::receive::{Checksum, receive};
pub use self::seal::seal_forgotten;
pub use self::space::{check_free, check_room_for_delivery, check_scratch, check_size};
pub use self::whole::{Uploaded, Whole};
use super::FARM;
use super::enqueue::check_request;
use crate::app::App;
pub use crate::db::uploads::{UploadRequest, UploadRow};
use crate::db::{uploads, videos};
use crate::error::{ApiError, Result};

/// What a client says of a file before it sends it.
#[derive(Clone, Debug)]
pub struct NewUpload {
    pub length: u64,
    /// `Upload-Metadata` as it came.
    pub metadata: String,
    pub request: UploadRequest,
}

/// An upload as its client sees it.
#[derive(Clone, Debug)]
pub struct Upload {
    pub id: UploadId,
    pub length: i64,
    pub received: i64,
    pub metadata: String,
    pub expires_at: DateTime<Utc>,
    /// What it became, once the last byte was here.
    pub became: Option<Became>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Became {
    pub video: VideoId,
    pub job: Option<JobId>,
    pub deduplicated: bool,
}

impl From<UploadRow> for Upload {
    fn from(row: UploadRow) -> Self {
        let deduplicated = row.deduplicated.unwrap_or_default();
        let became = row.video_id.map(|video| Became { video, job: row.job_id, deduplicated });
        let UploadRow { id, length, received, metadata, expires_at, .. } = row;
        Self { id, length, received, metadata, expires_at, became }
    }
}

/// For somebody, who may have only so many, and who soon has to send something.
pub async fn create_for(app: &App, new: NewUpload, owner: &Owner) -> Result<Upload> {
    let start = Duration::minutes(app.settings.upload_limits.upload_start_minutes.into());
    create_within(app, new, Some(owner), start.min(life(app))).await
}

/// For the farm itself, which brings the bytes when it can.
pub async fn create(app: &App, new: NewUpload) -> Result<Upload> {
    create_within(app, new, None, life(app)).await
}

async fn create_within(app: &App, new: NewUpload, owner: Option<&Owner>, life: Duration) -> Result<Upload> {
    if new.length == 0 {
        return Err(ApiError::bad_request("empty_upload", "The file is empty; there is nothing to encode."));
    }
    check_size(app, new.length)?;
    check_request(app, &new.request).await?;
    let length = i64::try_from(new.length).map_err(|_| space::too_large(app))?;
    let now = app.clock.now();
    let _turn = app.uploads.admission().await;
    check_free(app, new.length).await?;
    let mut tx = app.db.begin().await?;
    let id = UploadId::new(&app.clock);
    if let Some(owner) = owner {
        owner::check_limits(app, &mut tx, owner, new.length).await?;
    }
    let row = uploads::insert(&mut tx, id, length, &new.metadata, &new.request, now, now + life).await?;
    uploads::set_owner(&mut tx, id, owner.map_or(FARM, |owner| &owner.id)).await?;
    tx.commit().await?;
    Ok(row.into())
}

/// Where an upload stands. If its last byte came just before a crash, it is sealed now.
pub async fn state(app: &App, id: UploadId, actor: &str) -> Result<Upload> {
    let _held = app.uploads.hold(id).await?;
    find(app, id).await?;
    // Whoever asks goes on from the answer: it must not be overtaken by bytes of an older request.
    let row = take(app, id).await?;
    if !is_whole(&row) {
        return Ok(row.into());
    }
    match seal::seal(app, &row, actor).await {
        Ok(upload) => Ok(upload),
        Err(error) => {
            tracing::warn!(upload = %id, %error, "could not seal a complete upload; will retry");
            Ok(row.into())
        }
    }
}

/// Where an upload stands, for one who brings its bytes himself: also after its time, and nobody is overtaken.
pub async fn peek(app: &App, id: UploadId) -> Result<Option<Upload>> {
    Ok(uploads::get(&app.db, id).await?.map(Upload::from))
}

/// The next turn of an open upload. One that is sealed, perhaps in this moment by another instance, is given as it is.
async fn take(app: &App, id: UploadId) -> Result<UploadRow> {
    let mut tx = app.db.begin().await?;
    let row = uploads::take_if_open(&mut tx, id).await?;
    tx.commit().await?;
    match row {
        Some(row) => Ok(row),
        None => find(app, id).await,
    }
}

/// The row of an upload that may go on.
async fn find(app: &App, id: UploadId) -> Result<UploadRow> {
    let row = uploads::get(&app.db, id).await?.ok_or_else(|| ApiError::no_such("upload"))?;
    if row.expires_at <= app.clock.now() {
        let detail = "The upload expired because no data arrived for too long; start a new one.";
        return Err(ApiError::gone("upload_expired", detail));
    }
    Ok(row)
}

fn is_whole(row: &UploadRow) -> bool {
    row.status == UploadStatus::Open && row.received == row.length
}

fn life(app: &App) -> Duration {
    Duration::hours(app.settings.upload_expiry_hours.into())
}

/// The title under which the same content was here already.
pub async fn title_before(app: &App, upload: &Upload) -> Result<Option<String>> {
    let Some(became) = upload.became.filter(|became| became.deduplicated) else { return Ok(None) };
    Ok(videos::get(&app.db, became.video).await?.map(|video| video.title))
}
