//! A source that comes in one request, its length unknown until its end.

use framefarm_shared::id::{JobId, UploadId, VideoId};
use serde::Serialize;

use super::{UploadRequest, seal, space};
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::lifecycle::enqueue::{Source, check_request};
use crate::uploads::Writer;

/// The disk is looked at again after this many bytes.
const LOOK_EVERY: u64 = 64 * 1024 * 1024;

/// What an upload became.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Uploaded {
    pub video_id: VideoId,
    /// The video plays at `/videos/{slug}/master.m3u8` once it is ready.
    pub slug: String,
    pub job_id: JobId,
    pub job_number: i64,
    /// The same content was queued already; this is that video and its job.
    pub deduplicated: bool,
}

/// A source on its way. Dropping it removes what arrived.
pub struct Whole {
    app: App,
    id: UploadId,
    writer: Writer,
    next_look: u64,
}

impl Whole {
    /// `announced` is what the request says to carry, a little more than the file.
    pub async fn begin(app: &App, announced: Option<u64>) -> Result<Self> {
        space::check_free(app, announced.unwrap_or(0)).await?;
        let id = UploadId::new(&app.clock);
        let writer = app.uploads.writer(id, 0).await?;
        Ok(Self { app: app.clone(), id, writer, next_look: LOOK_EVERY })
    }

    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        space::check_size(&self.app, self.writer.position().saturating_add(bytes.len() as u64))?;
        self.writer.write(bytes).await?;
        if self.writer.position() >= self.next_look {
            space::check_free(&self.app, 0).await?;
            self.next_look += LOOK_EVERY;
        }
        Ok(())
    }

    /// The last byte is here.
    pub async fn finish(mut self, request: UploadRequest, actor: &str) -> Result<Uploaded> {
        check_request(&self.app.settings.ladder, &request)?;
        let length = self.writer.position();
        if length == 0 {
            return Err(ApiError::bad_request(
                "empty_upload",
                "The file is empty; there is nothing to encode.",
            ));
        }
        self.writer.sync().await?;
        self.app.uploads.counted(self.id, &self.writer);
        let sha256 = hex::encode(self.app.uploads.sha256(self.id, length).await?);
        let size = i64::try_from(length).map_err(|_| space::too_large(&self.app))?;
        let source = Source { video: VideoId::new(&self.app.clock), size, sha256 };
        let file = self.app.uploads.path(self.id);
        let enqueued = seal::enqueue_file(&self.app, &file, source, request, actor, None).await?;
        Ok(Uploaded {
            video_id: enqueued.video.id,
            slug: enqueued.video.slug,
            job_id: enqueued.job.id,
            job_number: enqueued.job.number,
            deduplicated: enqueued.deduplicated,
        })
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.app.uploads.discard(self.id);
    }
}
