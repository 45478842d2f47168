//! Every stored object: its path, content type and cache rule.
//!
//! Media objects carry the digest of their content in their name. Two workers that deliver the same segment
//! with other bytes write two objects, so that no late write can change what was verified.

use std::fmt;

use crate::id::VideoId;

/// The first eight bytes of a SHA-256, in hex: enough to tell apart the few versions of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShortDigest([u8; 8]);

impl ShortDigest {
    pub fn of(sha256: &[u8; 32]) -> Self {
        let mut short = [0; 8];
        short.copy_from_slice(&sha256[..8]);
        Self(short)
    }

    fn parse(text: &str) -> Option<Self> {
        let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if text.len() != 16 || !text.bytes().all(lower) {
            return None;
        }
        u64::from_str_radix(text, 16).ok().map(|value| Self(value.to_be_bytes()))
    }
}

impl fmt::Display for ShortDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKey {
    /// What a person uploaded.
    Source {
        video: VideoId,
    },
    Master {
        video: VideoId,
        generation: i32,
    },
    Media {
        video: VideoId,
        generation: i32,
        file: MediaFile,
    },
}

/// A file inside one quality of a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaFile {
    Playlist { quality: String },
    Init { quality: String, digest: ShortDigest },
    Segment { quality: String, index: u32, digest: ShortDigest },
}

impl ObjectKey {
    pub fn path(&self) -> String {
        match self {
            Self::Source { video } => format!("sources/{video}/source"),
            Self::Master { video, generation } => format!("videos/{video}/master-g{generation}.m3u8"),
            Self::Media { video, generation, file } => format!("videos/{video}/g{generation}/{file}"),
        }
    }

    /// Everything of one generation but its master.
    pub fn generation_prefix(video: VideoId, generation: i32) -> String {
        format!("videos/{video}/g{generation}")
    }

    /// Everything published or delivered for a video.
    pub fn video_prefix(video: VideoId) -> String {
        format!("videos/{video}")
    }

    pub fn source_prefix(video: VideoId) -> String {
        format!("sources/{video}")
    }

    pub fn content_type(&self) -> &'static str {
        match self {
            Self::Source { .. } => "application/octet-stream",
            Self::Master { .. } | Self::Media { file: MediaFile::Playlist { .. }, .. } => {
                "application/vnd.apple.mpegurl"
            }
            Self::Media { file: MediaFile::Init { .. }, .. } => "video/mp4",
            Self::Media { file: MediaFile::Segment { .. }, .. } => "video/iso.segment",
        }
    }

    pub fn cache_control(&self) -> &'static str {
        match self {
            Self::Source { .. } => "private, no-store",
            // The public name of the master stays while the generation behind it changes.
            Self::Master { .. } => "public, max-age=5, must-revalidate",
            Self::Media { .. } => "public, max-age=31536000, immutable",
        }
    }
}

impl MediaFile {
    /// The name below `g{n}/`, as playlists write it and players ask for it.
    pub fn parse(text: &str) -> Option<Self> {
        let (quality, name) = text.split_once('/')?;
        if !is_quality_name(quality) {
            return None;
        }
        let quality = quality.to_owned();
        if name == "playlist.m3u8" {
            return Some(Self::Playlist { quality });
        }
        if let Some(digest) = name.strip_prefix("init-").and_then(|rest| rest.strip_suffix(".mp4")) {
            return Some(Self::Init { quality, digest: ShortDigest::parse(digest)? });
        }
        let (index, digest) = name.strip_prefix("seg_")?.strip_suffix(".m4s")?.split_once('-')?;
        if index.len() < 5 || index.len() > 9 || !index.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let key = Self::Segment { quality, index: index.parse().ok()?, digest: ShortDigest::parse(digest)? };
        // One name per object: `seg_000042` is not another spelling of `seg_00042`.
        (key.to_string() == text).then_some(key)
    }
}

impl fmt::Display for MediaFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Playlist { quality } => write!(f, "{quality}/playlist.m3u8"),
            Self::Init { quality, digest } => write!(f, "{quality}/init-{digest}.mp4"),
            Self::Segment { quality, index, digest } => write!(f, "{quality}/seg_{index:05}-{digest}.m4s"),
        }
    }
}

/// Reads `g12/…` of a public URL.
pub fn parse_public(path: &str) -> Option<(i32, MediaFile)> {
    let (generation, file) = path.split_once('/')?;
    let digits = generation.strip_prefix('g')?;
    if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, MediaFile::parse(file)?))
}

/// Lower-case letters and digits, as the ladder names its rungs and audio renditions.
pub fn is_quality_name(name: &str) -> bool {
    (1..=16).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest() -> ShortDigest {
        ShortDigest::of(&[0xab; 32])
    }

    #[test]
    fn public_names_read_back_as_the_keys_they_came_from() {
        let quality = || "1080p".to_owned();
        for file in [
            MediaFile::Playlist { quality: quality() },
            MediaFile::Init { quality: quality(), digest: digest() },
            MediaFile::Segment { quality: quality(), index: 42, digest: digest() },
            MediaFile::Segment { quality: quality(), index: 123_456, digest: digest() },
        ] {
            assert_eq!(parse_public(&format!("g3/{file}")), Some((3, file)));
        }
    }

    #[test]
    fn names_outside_the_grammar_are_nothing() {
        for path in [
            "",
            "g1",
            "g1/",
            "g0/1080p/playlist.m3u8",
            "g01/1080p/playlist.m3u8",
            "g1/../playlist.m3u8",
            "g1/1080p/../../x",
            "g1/1080p/seg_42-abababababababab.m4s",
            "g1/1080P/playlist.m3u8",
            "g1/1080p/seg_00042-ABABABABABABABAB.m4s",
            "g1/1080p/seg_000042-abababababababab.m4s",
            "g-1/1080p/playlist.m3u8",
            "g1/1080p/playlist.m3u8/",
            "g+1/1080p/playlist.m3u8",
        ] {
            assert_eq!(parse_public(path), None, "{path}");
        }
    }

    #[test]
    fn only_the_master_may_change_behind_its_name() {
        let video = VideoId(uuid::Uuid::nil());
        let media = ObjectKey::Media {
            video,
            generation: 1,
            file: MediaFile::Init { quality: "720p".to_owned(), digest: digest() },
        };
        assert!(media.cache_control().contains("immutable"));
        assert!(!ObjectKey::Master { video, generation: 1 }.cache_control().contains("immutable"));
    }
}
