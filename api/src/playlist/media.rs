//! The media playlist: the segments of one rendition.

use std::fmt::Write as _;

use m3u8_rs::{Map, MediaPlaylist, MediaPlaylistType};

use super::VERSION;
use super::text::{uri, written};
use super::timeline::{micros, target_seconds};

/// One finished rendition.
#[derive(Debug, Clone, Default)]
pub struct MediaPlaylistInput {
    pub init_uri: String,
    /// URI and duration in seconds.
    pub segments: Vec<(String, f64)>,
    /// Every segment starts with an IDR frame.
    pub independent: bool,
}

/// The playlist of a finished rendition.
pub fn media_playlist(input: &MediaPlaylistInput) -> String {
    let map = Map { uri: uri(&input.init_uri), ..Map::default() };
    finished(&input.segments, input.independent, Some(&map))
}

/// A playlist that never changes; subtitles have no init segment.
pub(super) fn finished(segments: &[(String, f64)], independent: bool, map: Option<&Map>) -> String {
    let micros = micros(segments.iter().map(|(_, duration)| *duration));
    let head = MediaPlaylist {
        version: Some(VERSION),
        target_duration: target_seconds(&micros),
        playlist_type: Some(MediaPlaylistType::Vod),
        independent_segments: independent,
        ..MediaPlaylist::default()
    };

    let mut text = written(|out| head.write_to(out));
    if let Some(map) = map {
        let _ = writeln!(text, "#EXT-X-MAP:{}", written(|out| map.write_attributes_to(out)));
    }
    // m3u8-rs keeps durations as f32 and prints them with a precision that is one global for the process; its custom
    // tags always begin with `#EXT-`, which EXTINF does not. So these lines are ours.
    for ((name, _), micros) in segments.iter().zip(&micros) {
        let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
        let _ = writeln!(text, "#EXTINF:{seconds}.{fraction:06},\n{}", uri(name));
    }
    text.push_str("#EXT-X-ENDLIST\n");
    text
}
