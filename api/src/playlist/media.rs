//! The media playlist: the segments of one rendition.

use std::fmt::Write as _;

use m3u8_rs::{Map, MediaPlaylist, MediaPlaylistType};

use super::VERSION;
use super::text::{uri, written};
use super::timeline::{micros, target_seconds};

/// One finished rendition.
#[derive(Debug, Clone, Default)]
pub struct MediaPlaylistInput {
    pub segments: Vec<MediaSegment>,
    /// Every segment starts with an IDR frame.
    pub independent: bool,
}

/// One segment of a rendition.
#[derive(Debug, Clone, Default)]
pub struct MediaSegment {
    pub uri: String,
    pub seconds: f64,
    /// The same for all, unless the encoder changed on the way; none for subtitles.
    pub init_uri: Option<String>,
}

/// The playlist of a finished rendition.
pub fn media_playlist(input: &MediaPlaylistInput) -> String {
    finished(&input.segments, input.independent)
}

/// A playlist that never changes.
pub(super) fn finished(segments: &[MediaSegment], independent: bool) -> String {
    let micros = micros(segments.iter().map(|segment| segment.seconds));
    let head = MediaPlaylist {
        version: Some(VERSION),
        target_duration: target_seconds(&micros),
        playlist_type: Some(MediaPlaylistType::Vod),
        independent_segments: independent,
        ..MediaPlaylist::default()
    };

    let mut text = written(|out| head.write_to(out));
    let mut init = None;
    // m3u8-rs keeps durations as f32 and prints them with a precision that is one global for the process; its custom
    // tags always begin with `#EXT-`, which EXTINF does not. So these lines are ours.
    for (segment, micros) in segments.iter().zip(&micros) {
        // No EXT-X-DISCONTINUITY where the encoder changed: the timeline goes on, and the other renditions, which would
        // have to break at the same place, do not change.
        if segment.init_uri != init {
            init.clone_from(&segment.init_uri);
            let map = Map { uri: uri(init.as_deref().unwrap_or_default()), ..Map::default() };
            let _ = writeln!(text, "#EXT-X-MAP:{}", written(|out| map.write_attributes_to(out)));
        }
        let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
        let _ = writeln!(text, "#EXTINF:{seconds}.{fraction:06},\n{}", uri(&segment.uri));
    }
    text.push_str("#EXT-X-ENDLIST\n");
    text
}
