//! Videos and their qualities.

use chrono::{DateTime, Utc};
use framefarm_shared::id::VideoId;
use framefarm_shared::ladder::{MediaKind, VideoCodec};
use framefarm_shared::language;
use framefarm_shared::plan::SourceInfo;
use framefarm_shared::state::{QualityStatus, VideoStatus};
use serde::Serialize;
use utoipa::ToSchema;

use super::jobs::{self, Job};
use super::names::{self, Wanted};
use super::notes::{Note, left_out, notes};
use super::page::{self, Page};
use super::work::{self, Work};
use crate::app::App;
use crate::db::generations;
use crate::db::qualities::{self, GenerationKey, QualityRow};
use crate::db::videos::{self, VideoFilter, VideoRow};
use crate::error::{ApiError, Result};
use crate::lifecycle::publish::{PublishedSidecars, PublishedSubtitle};

/// An uploaded video.
#[derive(Debug, Serialize, ToSchema)]
pub struct Video {
    pub id: VideoId,
    pub slug: String,
    pub title: String,
    pub collection: Option<String>,
    pub status: VideoStatus,
    /// Why it cannot be played.
    pub error: Option<String>,
    /// Whether it failed because its job was cancelled.
    pub cancelled: bool,
    pub source_name: String,
    pub source_size: i64,
    pub source_sha256: String,
    /// Requested qualities; null for the whole ladder.
    pub wanted_qualities: Option<Vec<String>>,
    /// The published generation; 0 if none.
    pub generation: i32,
    /// Path of the master playlist; null until it is playable.
    pub playback_url: Option<String>,
    pub poster_url: Option<String>,
    /// In the order of their time in the video.
    pub thumbnail_urls: Vec<String>,
    /// WebVTT whose cues refer to sprite images, for seek bar previews.
    pub storyboard_url: Option<String>,
    pub subtitles: Vec<Subtitle>,
    pub duration_seconds: Option<f64>,
    pub width: Option<i32>,
    pub height: Option<i32>,
    /// Published renditions, as reported by the completed job.
    pub renditions: Option<serde_json::Value>,
    pub created_at: DateTime<Utc>,
    pub ready_at: Option<DateTime<Utc>>,
    /// When the original was removed: the video plays, but cannot be encoded again.
    pub source_deleted_at: Option<DateTime<Utc>>,
    /// Its waiting or running job, if any.
    pub work: Option<Work>,
}

/// A subtitle track of a video.
#[derive(Debug, Serialize, ToSchema)]
pub struct Subtitle {
    /// BCP 47 tag, if the source has one.
    pub language: Option<String>,
    /// Title in the source.
    pub title: Option<String>,
    /// Forced subtitles: only what the main audio does not explain.
    pub forced: bool,
    /// WebVTT.
    pub url: String,
}

/// One rendition of the newest generation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quality {
    pub name: String,
    pub kind: MediaKind,
    pub status: QualityStatus,
    /// 0 for audio and for a skipped quality, which is never encoded; also the height.
    pub width: i32,
    pub height: i32,
    /// 0 for a skipped quality.
    pub bitrate_kbps: i32,
    /// Video codec; null for audio, which is AAC.
    pub codec: Option<VideoCodec>,
    pub segments_total: i32,
    pub segments_completed: i32,
    pub progress_percent: f64,
    /// Frames per second, as last reported by the encoder.
    pub fps: Option<f64>,
    /// Encoded seconds of video per second, as last reported by the encoder.
    pub speed: Option<f64>,
    pub codecs: Option<String>,
    pub error: Option<String>,
}

/// A video with its qualities and jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoDetail {
    pub video: Video,
    /// Qualities of the newest generation: the one being encoded, or the published one.
    pub qualities: Vec<Quality>,
    /// Newest first.
    pub jobs: Vec<Job>,
    /// What the worker found in the uploaded file; null until it was probed.
    pub source: Option<SourceInfo>,
    /// What was omitted or done differently.
    pub notes: Vec<Note>,
}

/// A filter of videos.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<VideoStatus>,
    pub collection: Option<String>,
    /// Part of the title.
    pub search: Option<String>,
}

/// Newest first.
pub async fn list(app: &App, filter: Filter, cursor: Option<&str>, limit: u16) -> Result<Page<Video>> {
    let before = page::parse_time(cursor)?.map(|(at, id)| (at, VideoId(id)));
    let collection = match names::wanted(app, filter.collection.as_deref()).await? {
        Wanted::Any => None,
        Wanted::One(id) => Some(id),
        Wanted::Unknown => return Ok(Page::whole(Vec::new())),
    };
    let search = filter.search.as_deref().and_then(names::searched);
    let filter = VideoFilter { status: filter.status, collection, search };
    let rows = videos::list(&app.db, &filter, before, page::rows_for(limit)).await?;
    let names = names::of_collections(app).await?;
    let mut works = work::of_videos(app, &rows).await?;
    let cursor = |row: &VideoRow| page::time_cursor(row.created_at, row.id.0);
    Ok(Page::cut(rows, limit, cursor, |row| {
        let collection = row.collection_id.and_then(|id| names.get(&id).cloned());
        let work = works.remove(&row.id);
        view(row, collection, work)
    }))
}

pub async fn get(app: &App, id: VideoId) -> Result<VideoDetail> {
    detail(app, videos::get(&app.db, id).await?).await
}

pub async fn by_slug(app: &App, slug: &str) -> Result<VideoDetail> {
    detail(app, videos::by_slug(&app.db, slug).await?).await
}

async fn detail(app: &App, row: Option<VideoRow>) -> Result<VideoDetail> {
    let Some(row) = row.filter(|row| row.deleted_at.is_none()) else {
        return Err(ApiError::no_such("video"));
    };
    let id = row.id;
    let key = GenerationKey { video: id, number: row.last_generation };
    let qualities = qualities::of_generation(&app.db, key).await?;
    let plan = match generations::plan(&app.db, id, row.last_generation).await? {
        // Encoded again, and nobody has looked yet: it is the same file.
        None if row.generation > 0 => generations::plan(&app.db, id, row.generation).await?,
        plan => plan,
    };
    let source = plan.map(|plan| plan.source.with_normal_languages());
    let wanted = row.wanted.as_ref().map_or(&[][..], |json| &json.0);
    let mut notes = notes(source.as_ref(), wanted, &qualities);
    if row.generation == row.last_generation {
        notes.extend(left_out(&qualities));
    } else {
        let playing = GenerationKey { video: id, number: row.generation };
        notes.extend(left_out(&qualities::of_generation(&app.db, playing).await?));
    }
    let qualities = qualities.into_iter().map(Quality::from).collect();
    let (video, jobs) = (of(app, row).await?, jobs::of_video(app, id).await?);
    Ok(VideoDetail { video, qualities, jobs, source, notes })
}

pub async fn of(app: &App, row: VideoRow) -> Result<Video> {
    let mut names = names::of_collections(app).await?;
    let collection = row.collection_id.and_then(|id| names.remove(&id));
    let work = work::of_videos(app, std::slice::from_ref(&row)).await?.remove(&row.id);
    Ok(view(row, collection, work))
}

fn view(row: VideoRow, collection: Option<String>, work: Option<Work>) -> Video {
    #[expect(clippy::cast_precision_loss, reason = "a day of microseconds fits in 52 bits")]
    let duration_seconds = row.duration_us.map(|us| us as f64 / 1e6);
    let plays = row.generation > 0;
    let sidecars = row.renditions.as_ref().filter(|_| plays).map(|json| PublishedSidecars::of(&json.0));
    let sidecars = sidecars.unwrap_or_default();
    let url = |file: String| format!("/videos/{}/g{}/{file}", row.slug, row.generation);
    Video {
        playback_url: plays.then(|| format!("/videos/{}/master.m3u8", row.slug)),
        poster_url: sidecars.poster.map(url),
        thumbnail_urls: sidecars.thumbnails.into_iter().map(url).collect(),
        storyboard_url: sidecars.storyboard.map(url),
        subtitles: sidecars.subtitles.into_iter().map(|track| subtitle(track, url)).collect(),
        collection,
        duration_seconds,
        wanted_qualities: row.wanted.map(|json| json.0),
        renditions: row.renditions.map(|json| json.0),
        error: row.error_message,
        cancelled: row.cancelled && row.status == VideoStatus::Failed,
        id: row.id,
        slug: row.slug,
        title: row.title,
        status: row.status,
        source_name: row.source_name,
        source_size: row.source_size,
        source_sha256: row.source_sha256,
        generation: row.generation,
        width: row.width,
        height: row.height,
        created_at: row.created_at,
        ready_at: row.ready_at,
        source_deleted_at: row.source_deleted_at,
        work,
    }
}

fn subtitle(track: PublishedSubtitle, url: impl Fn(String) -> String) -> Subtitle {
    let PublishedSubtitle { language, title, forced, file, .. } = track;
    Subtitle { language: language.as_deref().and_then(language::normalized), title, forced, url: url(file) }
}

impl From<QualityRow> for Quality {
    fn from(row: QualityRow) -> Self {
        // What a rung above the source would have had is nobody's size.
        let unless_skipped = |number| if row.status == QualityStatus::Skipped { 0 } else { number };
        Self {
            width: unless_skipped(row.width),
            height: unless_skipped(row.height),
            bitrate_kbps: unless_skipped(row.bitrate_kbps),
            name: row.name,
            kind: row.kind,
            status: row.status,
            codec: (row.kind == MediaKind::Video).then_some(row.codec),
            segments_total: row.segments_total,
            segments_completed: row.segments_completed,
            progress_percent: row.progress_percent,
            fps: row.fps,
            speed: row.speed,
            codecs: row.codecs,
            error: row.error_message,
        }
    }
}
