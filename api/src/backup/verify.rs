//! Whether the stored files are there that a database names.

use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::{MediaFile, ObjectKey};
use framefarm_shared::state::QualityStatus;

use crate::db::qualities::{self, GenerationKey};
use crate::db::videos::VideoRow;
use crate::db::{Db, extra_files, generations, restored, segments};
use crate::lifecycle::publish::{self, PublishedSidecars, media_files};

const PAGE: i64 = 200;

/// Every file that a video, a published generation or the work on the next one needs, told one after the other.
pub(super) async fn needed(db: &Db, mut tell: impl FnMut(String)) -> sqlx::Result<()> {
    let mut after = VideoId(uuid::Uuid::nil());
    loop {
        let videos = restored::videos_after(db, after, PAGE).await?;
        let Some(last) = videos.last() else { return Ok(()) };
        after = last.id;
        for video in &videos {
            for key in of_video(db, video).await? {
                tell(key.path());
            }
        }
    }
}

async fn of_video(db: &Db, video: &VideoRow) -> sqlx::Result<Vec<ObjectKey>> {
    let mut keys = Vec::new();
    if video.source_deleted_at.is_none() {
        keys.push(ObjectKey::Source { video: video.id });
    }
    for number in generations::of_video(db, video.id).await? {
        let key = GenerationKey { video: video.id, number };
        keys.extend(of_generation(db, key).await?.map(|file| key.object(file)));
    }
    if video.generation > 0 {
        let key = GenerationKey { video: video.id, number: video.generation };
        keys.push(key.master());
        keys.extend(written_at_completion(db, video, key).await?.map(|file| key.object(file)));
    }
    Ok(keys)
}

/// What was delivered for it. What it takes over from another generation lies there until it plays.
async fn of_generation(db: &Db, key: GenerationKey) -> sqlx::Result<impl Iterator<Item = MediaFile>> {
    let naming = generations::naming(db, key).await?;
    let mut files = Vec::new();
    for row in qualities::of_generation(db, key).await? {
        if row.carried_from.is_none() {
            let segments = segments::of_quality(db, key, &row.name).await?;
            files.extend(media_files(&row, &segments, naming));
        }
    }
    let rows = extra_files::of_generation(db, key).await?;
    let own = rows.iter().filter(|row| row.carried_from.is_none());
    files.extend(own.filter_map(|row| publish::sidecars::stored(row, naming)).map(|(_, stored)| stored));
    Ok(files.into_iter())
}

/// Playlists, and what the generation that plays took over.
async fn written_at_completion(
    db: &Db,
    video: &VideoRow,
    key: GenerationKey,
) -> sqlx::Result<impl Iterator<Item = MediaFile>> {
    let naming = generations::naming(db, key).await?;
    let mut files = Vec::new();
    for row in qualities::of_generation(db, key).await? {
        if row.carried_from.is_some() {
            let segments = segments::of_quality(db, key, &row.name).await?;
            files.extend(media_files(&row, &segments, naming));
        }
        if row.status == QualityStatus::Completed {
            files.push(MediaFile::Playlist { quality: row.name });
        }
    }
    let rows = extra_files::of_generation(db, key).await?;
    let carried = rows.iter().filter(|row| row.carried_from.is_some());
    files.extend(carried.filter_map(|row| publish::sidecars::stored(row, naming)).map(|(_, stored)| stored));
    let published = video.renditions.as_ref().map(|json| PublishedSidecars::of(&json.0)).unwrap_or_default();
    files.extend(published.storyboard.map(|_| MediaFile::Storyboard));
    files.extend(published.subtitles.iter().map(|track| MediaFile::SubtitlePlaylist { track: track.track }));
    Ok(files.into_iter())
}
