//! Every stored object: its path, content type and cache rule.
//!
//! Media objects carry the digest of their content in their name. Two workers that deliver the same segment
//! with other bytes write two objects, so that no late write can change what was verified.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::extra_file::{ExtraFile, IMAGES, SUBTITLES, parse_track};
use crate::id::{UploadId, VideoId};

/// The top folders of a storage. Below each is a folder for every video or upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Sources,
    Videos,
    Uploads,
}

impl Root {
    pub const ALL: [Self; 3] = [Self::Sources, Self::Videos, Self::Uploads];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::Videos => "videos",
            Self::Uploads => "uploads",
        }
    }

    /// Everything of the video or upload whose folder has this name.
    pub fn prefix(self, folder: impl fmt::Display) -> String {
        format!("{}/{folder}", self.name())
    }

    /// The folder of a prefix.
    pub fn folder(self, prefix: &str) -> Option<&str> {
        prefix.strip_prefix(self.name())?.strip_prefix('/')
    }
}

/// Whether everything below a prefix is below the other one, too.
pub fn is_below(prefix: &str, outer: &str) -> bool {
    prefix.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

/// How the files of a generation are named. A generation keeps the naming it began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// By the whole SHA-256 of their content.
    FullDigest,
    /// By its first eight bytes, as versions before 0.2 did. Two contents of the same name can be computed.
    ShortDigest,
}

impl Naming {
    pub fn digest(self, sha256: [u8; 32]) -> NameDigest {
        match self {
            Self::FullDigest => NameDigest::Full(sha256),
            Self::ShortDigest => {
                let mut short = [0; 8];
                short.copy_from_slice(&sha256[..8]);
                NameDigest::Short(short)
            }
        }
    }
}

/// The digest in a file's name, in lower-case hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameDigest {
    Full([u8; 32]),
    Short([u8; 8]),
}

impl NameDigest {
    fn parse(text: &str) -> Option<Self> {
        parse_hex(text).map(Self::Full).or_else(|| parse_hex(text).map(Self::Short))
    }
}

/// Exactly `N` bytes in lower-case hex.
fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if text.len() != 2 * N || !text.bytes().all(lower) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

impl fmt::Display for NameDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: &[u8] = match self {
            Self::Full(bytes) => bytes,
            Self::Short(bytes) => bytes,
        };
        bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
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
    /// The end of an unfinished upload that is too small to be a part of its own. The holder's turn and the offset are
    /// in its name, so that nobody writes over what somebody else had counted.
    UploadRest {
        upload: UploadId,
        turn: i64,
        offset: u64,
    },
}

/// A file of a generation. What carries no digest is written once, before the generation plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaFile {
    Playlist {
        quality: String,
    },
    Init {
        quality: String,
        digest: NameDigest,
    },
    Segment {
        quality: String,
        index: u32,
        digest: NameDigest,
    },
    /// An image or a subtitle as it was delivered.
    Extra {
        file: ExtraFile,
        digest: NameDigest,
    },
    /// The delivered storyboard with the stored names of its sprites.
    Storyboard,
    SubtitlePlaylist {
        track: u32,
    },
}

impl ObjectKey {
    pub fn path(&self) -> String {
        match self {
            Self::Source { video } => format!("sources/{video}/source"),
            Self::Master { video, generation } => format!("videos/{video}/master-g{generation}.m3u8"),
            Self::Media { video, generation, file } => format!("videos/{video}/g{generation}/{file}"),
            Self::UploadRest { upload, turn, offset } => format!("uploads/{upload}/rest-{turn}-{offset}"),
        }
    }

    /// Everything of one generation but its master.
    pub fn generation_prefix(video: VideoId, generation: i32) -> String {
        format!("videos/{video}/g{generation}")
    }

    /// Everything of one quality of a generation.
    pub fn quality_prefix(video: VideoId, generation: i32, quality: &str) -> String {
        format!("videos/{video}/g{generation}/{quality}")
    }

    /// The master of the generation that a prefix is about, if it is about one.
    pub fn master_beside(prefix: &str) -> Option<Self> {
        let (video, generation) = prefix.strip_prefix("videos/")?.split_once("/g")?;
        Some(Self::Master { video: video.parse().ok()?, generation: generation.parse().ok()? })
    }

    /// Everything published or delivered for a video.
    pub fn video_prefix(video: VideoId) -> String {
        Root::Videos.prefix(video)
    }

    pub fn source_prefix(video: VideoId) -> String {
        Root::Sources.prefix(video)
    }

    /// What an unfinished upload keeps beside its parts.
    pub fn upload_prefix(upload: UploadId) -> String {
        Root::Uploads.prefix(upload)
    }

    /// Whether two objects of this name can only have the same content.
    pub fn is_named_by_content(&self) -> bool {
        matches!(self, Self::Media { file, .. } if file.digest().is_some())
    }

    pub fn content_type(&self) -> &'static str {
        match self {
            Self::Source { .. } | Self::UploadRest { .. } => "application/octet-stream",
            Self::Master { .. } => PLAYLIST,
            Self::Media { file, .. } => file.content_type(),
        }
    }

    /// What is published never changes under its name; `media_max_age` bounds how long it outlives its removal in caches.
    pub fn cache_control(&self, media_max_age: Duration) -> Cow<'static, str> {
        match self {
            Self::Source { .. } | Self::UploadRest { .. } => "private, no-store".into(),
            // The public name of the master stays while the generation behind it changes.
            Self::Master { .. } => "public, max-age=5, must-revalidate".into(),
            Self::Media { .. } => format!("public, max-age={}, immutable", media_max_age.as_secs()).into(),
        }
    }

    /// What a CDN files the object under, so that everything of a video can be purged at once.
    pub fn cache_tag(&self) -> Option<String> {
        match self {
            Self::Master { video, .. } | Self::Media { video, .. } => Some(format!("video-{video}")),
            Self::Source { .. } | Self::UploadRest { .. } => None,
        }
    }
}

const PLAYLIST: &str = "application/vnd.apple.mpegurl";

impl MediaFile {
    fn content_type(&self) -> &'static str {
        match self {
            Self::Playlist { .. } | Self::SubtitlePlaylist { .. } => PLAYLIST,
            Self::Init { .. } => "video/mp4",
            Self::Segment { .. } => "video/iso.segment",
            Self::Extra { file, .. } => file.content_type(),
            Self::Storyboard => "text/vtt; charset=utf-8",
        }
    }

    /// The name as a playlist or a storyboard beside it writes it.
    pub fn file_name(&self) -> String {
        let path = self.to_string();
        path.rsplit('/').next().unwrap_or(&path).to_owned()
    }

    /// The digest in the name, if it has one.
    pub fn digest(&self) -> Option<NameDigest> {
        match self {
            Self::Init { digest, .. } | Self::Segment { digest, .. } | Self::Extra { digest, .. } => {
                Some(*digest)
            }
            Self::Playlist { .. } | Self::Storyboard | Self::SubtitlePlaylist { .. } => None,
        }
    }

    /// The name below `g{n}/`, as playlists write it and players ask for it.
    pub fn parse(text: &str) -> Option<Self> {
        let (directory, name) = text.split_once('/')?;
        Self::parse_in(directory, name)
    }

    fn parse_in(directory: &str, name: &str) -> Option<Self> {
        match directory {
            IMAGES if name == "storyboard.vtt" => Some(Self::Storyboard),
            IMAGES => Self::parse_extra(name, |name| name.parse().ok().map(ExtraFile::Image)),
            SUBTITLES => match name.strip_suffix(".m3u8") {
                Some(track) => parse_track(track).map(|track| Self::SubtitlePlaylist { track }),
                None => Self::parse_extra(name, |name| {
                    parse_track(name.strip_suffix(".vtt")?).map(ExtraFile::Subtitle)
                }),
            },
            quality if is_quality_name(quality) => Self::parse_of_quality(quality, name),
            _ => None,
        }
    }

    /// `stem-<digest>.ending`, where `stem.ending` is what was delivered.
    fn parse_extra(name: &str, delivered: impl Fn(&str) -> Option<ExtraFile>) -> Option<Self> {
        let (stem, rest) = name.split_once('-')?;
        let (digest, ending) = rest.split_once('.')?;
        let file = delivered(&format!("{stem}.{ending}"))?;
        Some(Self::Extra { file, digest: NameDigest::parse(digest)? })
    }

    fn parse_of_quality(quality: &str, name: &str) -> Option<Self> {
        let quality = quality.to_owned();
        if name == "playlist.m3u8" {
            return Some(Self::Playlist { quality });
        }
        if let Some(digest) = name.strip_prefix("init-").and_then(|rest| rest.strip_suffix(".mp4")) {
            return Some(Self::Init { quality, digest: NameDigest::parse(digest)? });
        }
        let (index, digest) = name.strip_prefix("seg_")?.strip_suffix(".m4s")?.split_once('-')?;
        if index.len() < 5 || index.len() > 9 || !index.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number = index.parse().ok()?;
        // One name per object: `seg_000042` is not another spelling of `seg_00042`.
        let canonical = format!("{number:05}") == index;
        canonical.then_some(Self::Segment { quality, index: number, digest: NameDigest::parse(digest)? })
    }
}

impl fmt::Display for MediaFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Playlist { quality } => write!(f, "{quality}/playlist.m3u8"),
            Self::Init { quality, digest } => write!(f, "{quality}/init-{digest}.mp4"),
            Self::Segment { quality, index, digest } => write!(f, "{quality}/seg_{index:05}-{digest}.m4s"),
            Self::Extra { file: ExtraFile::Image(image), digest } => {
                let (stem, ending) = (image.stem(), image.ending());
                write!(f, "{IMAGES}/{stem}-{digest}.{ending}")
            }
            Self::Extra { file: ExtraFile::Subtitle(track), digest } => {
                write!(f, "{SUBTITLES}/{track}-{digest}.vtt")
            }
            Self::Storyboard => write!(f, "{IMAGES}/storyboard.vtt"),
            Self::SubtitlePlaylist { track } => write!(f, "{SUBTITLES}/{track}.m3u8"),
        }
    }
}

/// `g12/…`: the name of a file behind its video, in URLs and in the storage.
pub fn public_name(generation: i32, file: &MediaFile) -> String {
    format!("g{generation}/{file}")
}

/// Reads what [`public_name`] wrote.
pub fn parse_public(path: &str) -> Option<(i32, MediaFile)> {
    let (generation, file) = path.split_once('/')?;
    let (directory, name) = file.split_once('/')?;
    parse_public_parts(generation, directory, name)
}

/// The same of a path that was split at its slashes.
pub fn parse_public_parts(generation: &str, directory: &str, name: &str) -> Option<(i32, MediaFile)> {
    let digits = generation.strip_prefix('g')?;
    if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, MediaFile::parse_in(directory, name)?))
}

/// Lower-case letters and digits, as the ladder names its rungs and audio renditions. The directories beside those of
/// the qualities are no names of qualities.
pub fn is_quality_name(name: &str) -> bool {
    (1..=16).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && name != IMAGES
        && name != SUBTITLES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::extra_file::ImageName;

    fn digest() -> NameDigest {
        Naming::FullDigest.digest([0xab; 32])
    }

    #[test]
    fn public_names_read_back_as_the_keys_they_came_from() {
        let quality = || "1080p".to_owned();
        for file in [
            MediaFile::Playlist { quality: quality() },
            MediaFile::Init { quality: quality(), digest: digest() },
            MediaFile::Segment { quality: quality(), index: 42, digest: digest() },
            MediaFile::Segment { quality: quality(), index: 123_456, digest: digest() },
            MediaFile::Segment {
                quality: quality(),
                index: 7,
                digest: Naming::ShortDigest.digest([0xab; 32]),
            },
            MediaFile::Extra { file: ExtraFile::Image(ImageName::Poster), digest: digest() },
            MediaFile::Extra { file: ExtraFile::Image(ImageName::Storyboard), digest: digest() },
            MediaFile::Extra { file: ExtraFile::Subtitle(31), digest: digest() },
            MediaFile::Storyboard,
            MediaFile::SubtitlePlaylist { track: 0 },
        ] {
            assert_eq!(parse_public(&public_name(3, &file)), Some((3, file)));
        }
    }

    #[test]
    fn contents_whose_digests_only_begin_alike_have_names_of_their_own() {
        let mut digests = [[0xab; 32]; 2];
        digests[1][31] = 0;
        let [one, other] = digests.map(|sha256| {
            let digest = Naming::FullDigest.digest(sha256);
            MediaFile::Segment { quality: "720p".to_owned(), index: 0, digest }.to_string()
        });
        assert_ne!(one, other);
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
            "g1/1080p/seg_00042-ababababababababab.m4s",
            "g1/1080p/seg_00042-abababababababab+1.m4s",
            "g1/1080P/playlist.m3u8",
            "g1/1080p/seg_00042-ABABABABABABABAB.m4s",
            "g1/1080p/seg_000042-abababababababab.m4s",
            "g-1/1080p/playlist.m3u8",
            "g1/1080p/playlist.m3u8/",
            "g+1/1080p/playlist.m3u8",
            "g1/images/playlist.m3u8",
            "g1/images/poster.jpg",
            "g1/images/poster-abababababababab.png",
            "g1/images/poster-abababababababab.vtt",
            "g1/images/thumb_1-abababababababab.jpg",
            "g1/images/thumb_0001-abababababababab.jpg",
            "g1/images/sprite_000-abababababababab-abababababababab.jpg",
            "g1/images/../720p-abababababababab.jpg",
            "g1/subtitles/00.m3u8",
            "g1/subtitles/x.m3u8",
            "g1/subtitles/0-abababababababab.m3u8",
            "g1/subtitles/0-ABABABABABABABAB.vtt",
            "g1/subtitles/0.vtt",
        ] {
            assert_eq!(parse_public(path), None, "{path}");
        }
    }

    #[test]
    fn every_object_is_below_the_prefixes_that_it_goes_with() {
        let (video, upload) = (VideoId(uuid::Uuid::from_u128(7)), UploadId(uuid::Uuid::from_u128(8)));
        let file = MediaFile::Playlist { quality: "720p".to_owned() };
        let media = ObjectKey::Media { video, generation: 12, file: file.clone() }.path();
        let master = ObjectKey::Master { video, generation: 12 }.path();
        assert_eq!(Root::Videos.folder(&media), Some(format!("{video}/{}", public_name(12, &file)).as_str()));
        for prefix in [
            ObjectKey::quality_prefix(video, 12, "720p"),
            ObjectKey::generation_prefix(video, 12),
            ObjectKey::video_prefix(video),
        ] {
            assert!(is_below(&media, &prefix), "{prefix}");
        }
        assert!(is_below(&master, &ObjectKey::video_prefix(video)));
        assert!(!is_below(&master, &ObjectKey::generation_prefix(video, 12)));
        assert!(!is_below(&media, &ObjectKey::generation_prefix(video, 1)), "g1 is not g12");
        assert!(is_below(&ObjectKey::Source { video }.path(), &ObjectKey::source_prefix(video)));
        let rest = ObjectKey::UploadRest { upload, turn: 1, offset: 5 };
        assert!(is_below(&rest.path(), &ObjectKey::upload_prefix(upload)));
    }

    #[test]
    fn a_generation_has_its_master_beside_it() {
        let video = VideoId(uuid::Uuid::from_u128(7));
        let master = ObjectKey::Master { video, generation: 12 };
        assert_eq!(ObjectKey::master_beside(&ObjectKey::generation_prefix(video, 12)), Some(master));
        for other in
            [ObjectKey::video_prefix(video), ObjectKey::source_prefix(video), "videos/x/g1".to_owned()]
        {
            assert_eq!(ObjectKey::master_beside(&other), None, "{other}");
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
        let day = Duration::from_hours(24);
        assert_eq!(media.cache_control(day), "public, max-age=86400, immutable");
        assert!(!ObjectKey::Master { video, generation: 1 }.cache_control(day).contains("immutable"));
    }

    #[test]
    fn whatever_is_published_of_a_video_has_its_tag() {
        let video = VideoId(uuid::Uuid::nil());
        let file = MediaFile::Storyboard;
        for key in
            [ObjectKey::Master { video, generation: 1 }, ObjectKey::Media { video, generation: 1, file }]
        {
            assert_eq!(key.cache_tag(), Some(format!("video-{video}")));
        }
        assert_eq!(ObjectKey::Source { video }.cache_tag(), None);
    }

    fn any_file() -> impl Strategy<Value = MediaFile> {
        let image = prop_oneof![
            Just(ImageName::Poster),
            Just(ImageName::Storyboard),
            (0_u16..1000).prop_map(ImageName::Thumb),
            (0_u16..1000).prop_map(ImageName::Sprite),
        ];
        let naming = prop_oneof![Just(Naming::FullDigest), Just(Naming::ShortDigest)];
        let digest = (naming, any::<[u8; 32]>()).prop_map(|(naming, sha256)| naming.digest(sha256));
        prop_oneof![
            (image, digest.clone())
                .prop_map(|(name, digest)| MediaFile::Extra { file: ExtraFile::Image(name), digest }),
            (any::<u32>(), digest)
                .prop_map(|(track, digest)| MediaFile::Extra { file: ExtraFile::Subtitle(track), digest }),
            any::<u32>().prop_map(|track| MediaFile::SubtitlePlaylist { track }),
        ]
    }

    proptest! {
        #[test]
        fn every_image_and_subtitle_reads_back_as_itself(file in any_file(), generation in 1..i32::MAX) {
            prop_assert_eq!(parse_public(&format!("g{generation}/{file}")), Some((generation, file)));
        }

        #[test]
        fn a_name_that_reads_is_spelled_only_one_way(
            name in "(images|subtitles|720p)/[a-z0-9_]{0,10}[-.]?([0-9a-fA-F]{16}|[0-9a-f]{64})?\\.(jpg|vtt|m3u8|m4s|mp4)"
        ) {
            if let Some(file) = MediaFile::parse(&name) {
                prop_assert_eq!(file.to_string(), name);
            }
        }
    }
}
