//! A source that comes in one request, its length unknown until its end.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, UploadId, VideoId};
use serde::Serialize;

use super::errors::not_supported;
use super::finish::{RowEnd, finish};
use super::sink::{Sink, Until};
use super::{UploadRequest, UploadRow, drop, life, source, space, take};
use crate::app::App;
use crate::db::uploads;
use crate::error::{ApiError, Result};
use crate::lifecycle::FARM;
use crate::lifecycle::enqueue::check_request;
use crate::uploads::Writer;
use crate::uploads::file_type::not_media;

/// The disk is looked at again after this many bytes.
const LOOK_EVERY: u64 = 64 * 1024 * 1024;

/// Result of an upload.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Uploaded {
    pub video_id: VideoId,
    /// The video plays at `/videos/{slug}/master.m3u8` once it is ready.
    pub slug: String,
    /// Title of the video.
    pub title: String,
    /// Null if the same content already existed and its job was removed from the history.
    pub job_id: Option<JobId>,
    pub job_number: Option<i64>,
    /// The same content already existed; this is that video, with its own title and collection, and its job.
    pub deduplicated: bool,
}

/// A source on its way. Dropping it removes what arrived.
pub struct Whole {
    app: App,
    id: UploadId,
    since: DateTime<Utc>,
    way: Way,
}

enum Way {
    Disk {
        writer: Box<Writer>,
        next_look: u64,
    },
    /// The row is what finds the parts again after a crash; its length is a bound.
    Parts {
        row: Box<UploadRow>,
        sink: Sink,
    },
    Done,
}

impl Whole {
    /// `announced` is what the request says to carry, a little more than the file.
    pub async fn begin(app: &App, announced: Option<u64>) -> Result<Self> {
        space::check_free(app, announced.unwrap_or(0)).await?;
        let (id, since) = (UploadId::new(&app.clock), app.clock.now());
        let way = if app.storage.remote().is_some() {
            let mut row = Box::new(insert_row(app, id, announced).await?);
            Way::Parts { sink: Sink::open(app, &mut row).await?, row }
        } else {
            Way::Disk { writer: Box::new(app.uploads.writer(id, 0).await?), next_look: LOOK_EVERY }
        };
        Ok(Self { app: app.clone(), id, since, way })
    }

    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        space::check_size(&self.app, self.length().saturating_add(bytes.len() as u64))?;
        if self.length() == 0
            && let Some(what) = not_media(bytes)
        {
            return Err(not_supported(what));
        }
        match &mut self.way {
            Way::Disk { writer, next_look } => {
                writer.write(bytes).await?;
                if writer.position() >= *next_look {
                    space::check_free(&self.app, 0).await?;
                    *next_look += LOOK_EVERY;
                }
            }
            Way::Parts { row, sink } => {
                sink.write(bytes).await?;
                if sink.is_due(row) {
                    sink.count(&self.app, row, Until::Stored).await?;
                }
            }
            Way::Done => {}
        }
        Ok(())
    }

    fn length(&self) -> u64 {
        match &self.way {
            Way::Disk { writer, .. } => writer.position(),
            Way::Parts { sink, .. } => sink.position(),
            Way::Done => 0,
        }
    }

    /// The last byte is here.
    pub async fn finish(mut self, request: UploadRequest, actor: &str) -> Result<Uploaded> {
        check_request(&self.app, &request).await?;
        if self.length() == 0 {
            return Err(ApiError::bad_request(
                "empty_upload",
                "The file is empty; there is nothing to encode.",
            ));
        }
        let (source, end) = match &mut self.way {
            Way::Disk { writer, .. } => {
                writer.sync().await?;
                self.app.uploads.counted(self.id, writer);
                let length = writer.position();
                (source::of_file(&self.app, self.id, length, self.since).await?, RowEnd::NoRow)
            }
            Way::Parts { row, sink } => {
                sink.count(&self.app, row, Until::Last).await?;
                (source::of_parts(&self.app, row).await?, RowEnd::Deleted(row))
            }
            Way::Done => return Err(ApiError::gone("upload_changed", "The upload is already finished.")),
        };
        let enqueued = finish(&self.app, source, request, actor, end).await?;
        if matches!(self.way, Way::Parts { .. }) {
            self.way = Way::Done;
        }
        Ok(Uploaded {
            video_id: enqueued.video.id,
            slug: enqueued.video.slug,
            title: enqueued.video.title,
            job_id: enqueued.job.as_ref().map(|job| job.id),
            job_number: enqueued.job.as_ref().map(|job| job.number),
            deduplicated: enqueued.deduplicated,
        })
    }
}

async fn insert_row(app: &App, id: UploadId, announced: Option<u64>) -> Result<UploadRow> {
    let most = app.settings.max_upload_bytes;
    // One more than can come: what nobody counts as whole is never sealed by somebody else.
    let bound = announced.map_or(most, |length| length.min(most)).saturating_add(1);
    let length = i64::try_from(bound).map_err(|_| space::too_large(app))?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    uploads::insert(&mut tx, id, length, "", &UploadRequest::default(), now, now + life(app)).await?;
    // Its sender has one request only; nobody else can go on with it.
    uploads::set_owner(&mut tx, id, FARM).await?;
    tx.commit().await?;
    take(app, id).await
}

impl Drop for Whole {
    fn drop(&mut self) {
        match &self.way {
            Way::Disk { .. } => self.app.uploads.discard(self.id),
            Way::Parts { .. } => {
                let (app, id) = (self.app.clone(), self.id);
                // Without a runtime, or if it fails, the row expires by itself.
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    runtime.spawn(async move {
                        if let Err(error) = drop::terminate(&app, id).await {
                            tracing::debug!(upload = %id, %error, "could not delete an aborted upload");
                        }
                    });
                }
            }
            Way::Done => {}
        }
    }
}
