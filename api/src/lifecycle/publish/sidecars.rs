//! The images and subtitles of a generation that is about to play.

use framefarm_shared::extra_file::{ExtraFile, ImageName};
use framefarm_shared::object_key::{MediaFile, Naming, public_name};
use framefarm_shared::plan::Plan;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::db::extra_files::{self, ExtraFileRow};
use crate::db::generations;
use crate::db::qualities::GenerationKey;
use crate::error::Result;
use crate::playlist::{SubtitleRendition, subtitle_playlist};
use crate::sidecars::with_stored_names;

/// What a generation plays with, as its video remembers it. Files are named as below `g{n}/`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedSidecars {
    pub poster: Option<String>,
    pub thumbnails: Vec<String>,
    pub storyboard: Option<String>,
    /// By track.
    pub subtitles: Vec<PublishedSubtitle>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedSubtitle {
    pub track: u32,
    pub language: Option<String>,
    pub title: Option<String>,
    pub forced: bool,
    pub file: String,
}

impl PublishedSidecars {
    /// Reads what a completed job reported; one of before there were extras has none.
    pub fn of(renditions: &Value) -> Self {
        renditions.get("extras").and_then(|sidecars| Self::deserialize(sidecars).ok()).unwrap_or_default()
    }

    pub(super) fn subtitle_renditions(&self, generation: i32) -> Vec<SubtitleRendition> {
        let rendition = |track: &PublishedSubtitle| SubtitleRendition {
            name: track.title.clone().or_else(|| track.language.clone()).unwrap_or_default(),
            language: track.language.clone(),
            forced: track.forced,
            uri: public_name(generation, &MediaFile::SubtitlePlaylist { track: track.track }),
        };
        self.subtitles.iter().map(rendition).collect()
    }
}

/// Puts every file where its generation has it, and writes what refers to stored names.
pub(super) async fn write(app: &App, key: GenerationKey, plan: &Plan) -> Result<PublishedSidecars> {
    let rows = extra_files::of_generation(&app.db, key).await?;
    let naming = generations::naming(&app.db, key).await?;
    let mut files = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some((file, new)) = stored(row, naming) else { continue };
        if let Some(number) = row.carried_from {
            let from = GenerationKey { number, ..key };
            let Some((_, old)) = stored(row, generations::naming(&app.db, from).await?) else { continue };
            app.storage.copy(&from.object(old), &key.object(new.clone())).await?;
        }
        files.push((file, new));
    }
    let mut published = PublishedSidecars::default();
    for (file, stored) in &files {
        match file {
            ExtraFile::Image(ImageName::Poster) => published.poster = Some(stored.to_string()),
            ExtraFile::Image(ImageName::Thumb(_)) => published.thumbnails.push(stored.to_string()),
            ExtraFile::Image(ImageName::Sprite(_)) => {}
            ExtraFile::Image(ImageName::Storyboard) => {
                write_storyboard(app, key, stored, &files).await?;
                published.storyboard = Some(MediaFile::Storyboard.to_string());
            }
            ExtraFile::Subtitle(track) => {
                published.subtitles.extend(write_subtitle(app, key, plan, *track, stored).await?);
            }
        }
    }
    published.subtitles.sort_by_key(|subtitle| subtitle.track);
    Ok(published)
}

pub(crate) fn stored(row: &ExtraFileRow, naming: Naming) -> Option<(ExtraFile, MediaFile)> {
    let file = ExtraFile::parse(row.kind, &row.name)?;
    let sha256: [u8; 32] = row.sha256.as_slice().try_into().ok()?;
    Some((file, MediaFile::Extra { file, digest: naming.digest(sha256) }))
}

async fn write_storyboard(
    app: &App,
    key: GenerationKey,
    delivered: &MediaFile,
    files: &[(ExtraFile, MediaFile)],
) -> Result<()> {
    let bytes = app.storage.get(&key.object(delivered.clone())).await?;
    let name_of = |sprite: ImageName| {
        let found = files.iter().find(|(file, _)| *file == ExtraFile::Image(sprite));
        found.map(|(_, stored)| stored.file_name())
    };
    let text = with_stored_names(&String::from_utf8_lossy(&bytes), name_of);
    app.storage.put(&key.object(MediaFile::Storyboard), text.into()).await?;
    Ok(())
}

async fn write_subtitle(
    app: &App,
    key: GenerationKey,
    plan: &Plan,
    track: u32,
    stored: &MediaFile,
) -> Result<Option<PublishedSubtitle>> {
    let described = usize::try_from(track).ok().and_then(|track| plan.source.subtitles.get(track));
    let Some(described) = described.cloned() else { return Ok(None) };
    #[expect(clippy::cast_precision_loss, reason = "a day of microseconds fits in 52 bits")]
    let seconds = plan.source.duration_us as f64 / 1e6;
    let text = subtitle_playlist(&stored.file_name(), seconds);
    app.storage.put(&key.object(MediaFile::SubtitlePlaylist { track }), text.into()).await?;
    Ok(Some(PublishedSubtitle {
        track,
        language: described.language,
        title: described.title,
        forced: described.forced,
        file: stored.to_string(),
    }))
}
