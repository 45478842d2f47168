//! Which stored object a player's URL names.

use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::{MediaFile, ObjectKey};

use crate::app::App;
use crate::db::videos::{self, VideoRow};
use crate::error::{ApiError, Result};

/// The master of the generation that plays.
pub async fn master(app: &App, slug: &str) -> Result<ObjectKey> {
    let video = playable(app, slug).await?;
    Ok(ObjectKey::Master { video: video.id, generation: video.generation })
}

/// A file below `g{n}/`. Older generations answer until they are swept, so that a player in the middle of one goes
/// on; newer ones are not whole yet.
pub async fn file(app: &App, slug: &str, generation: i32, file: MediaFile) -> Result<ObjectKey> {
    let video = playable(app, slug).await?;
    if generation > video.generation {
        return Err(ApiError::no_such("file"));
    }
    Ok(ObjectKey::Media { video: video.id, generation, file })
}

/// Where a player finds a file of a generation without us. The names below a generation never change, so nothing has to
/// be asked of the store.
pub fn public_url(app: &App, key: &ObjectKey) -> Option<String> {
    let url = app.settings.public_media()?;
    Some(format!("{}/{}", url.as_str().trim_end_matches('/'), key.path()))
}

async fn playable(app: &App, slug: &str) -> Result<VideoRow> {
    match videos::by_slug(&app.db, slug).await? {
        Some(video) if video.generation > 0 => Ok(video),
        Some(_) => Err(ApiError::not_found("not_ready", "This video is not ready for playback.")),
        None => Err(ApiError::no_such("video")),
    }
}

/// An uploaded file.
pub struct Original {
    pub key: ObjectKey,
    /// What it was called.
    pub name: String,
    pub sha256: String,
}

pub async fn source(app: &App, id: VideoId) -> Result<Original> {
    let video = videos::get(&app.db, id).await?.filter(|video| video.deleted_at.is_none());
    let video = video.ok_or_else(|| ApiError::no_such("video"))?;
    if video.source_deleted_at.is_some() {
        return Err(ApiError::source_gone());
    }
    Ok(Original {
        key: ObjectKey::Source { video: id },
        name: video.source_name,
        sha256: video.source_sha256,
    })
}
