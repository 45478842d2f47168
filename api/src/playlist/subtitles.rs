//! The subtitles of a master playlist, and the playlist of one.

use framefarm_shared::language;
use m3u8_rs::{AlternativeMedia, AlternativeMediaType};

use super::audio::distinct_name;
use super::media::{MediaSegment, finished};
use super::text::uri;

/// The one group, which every variant names.
pub(super) const GROUP: &str = "subtitles";

#[derive(Debug, Clone, Default)]
pub struct SubtitleRendition {
    /// May be empty.
    pub name: String,
    pub language: Option<String>,
    /// Only what the main audio does not explain.
    pub forced: bool,
    /// Of its playlist.
    pub uri: String,
}

/// Nothing is shown unless somebody wants it. A player may choose by language, so only the first of a language, forced
/// or not, is for it to choose (RFC 8216, 4.3.4.1.1).
pub(super) fn alternatives(subtitles: &[SubtitleRendition]) -> Vec<AlternativeMedia> {
    let mut written: Vec<AlternativeMedia> = Vec::with_capacity(subtitles.len());
    for rendition in subtitles {
        let siblings: Vec<&AlternativeMedia> = written.iter().collect();
        let (language, forced) =
            (rendition.language.as_deref().and_then(language::normalized), rendition.forced);
        let same = |a: &&AlternativeMedia| a.language == language && a.forced == forced;
        let autoselect = !siblings.iter().any(same);
        let name = distinct_name(&rendition.name, "Subtitles", &siblings);
        written.push(AlternativeMedia {
            media_type: AlternativeMediaType::Subtitles,
            uri: Some(uri(&rendition.uri)),
            group_id: GROUP.to_owned(),
            default: false,
            name,
            language,
            forced,
            autoselect,
            ..AlternativeMedia::default()
        });
    }
    written
}

/// One WebVTT file that is as long as the video.
pub fn subtitle_playlist(file: &str, seconds: f64) -> String {
    finished(&[MediaSegment { uri: file.to_owned(), seconds, init_uri: None }], false)
}
