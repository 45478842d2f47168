//! What a generation has besides its segments: images and text subtitles. Their names and limits.

use std::fmt;
use std::str::FromStr;

use crate::text_enum::text_enum;

/// The directory of a generation's images.
pub const IMAGES: &str = "images";
/// The directory of a generation's subtitles.
pub const SUBTITLES: &str = "subtitles";

const MIB: u64 = 1024 * 1024;

text_enum! {
    ExtraKind {
        Image = "image",
        Subtitle = "subtitle",
    }
}

/// One image. Its `Display` is the name under which a worker delivers it, its `FromStr` the only grammar for it:
/// `poster.jpg`, `thumb_000.jpg` to `thumb_999.jpg`, `sprite_000.jpg` to `sprite_999.jpg`, `storyboard.vtt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageName {
    Poster,
    Thumb(u16),
    /// Many small images in one, to which the storyboard refers.
    Sprite(u16),
    /// WebVTT: which part of which sprite shows which time.
    Storyboard,
}

impl ImageName {
    pub(crate) fn stem(self) -> String {
        match self {
            Self::Poster => "poster".to_owned(),
            Self::Thumb(number) => format!("thumb_{number:03}"),
            Self::Sprite(number) => format!("sprite_{number:03}"),
            Self::Storyboard => "storyboard".to_owned(),
        }
    }

    pub(crate) fn ending(self) -> &'static str {
        if self == Self::Storyboard { "vtt" } else { "jpg" }
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.stem(), self.ending())
    }
}

/// A name that no image has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an image must be poster.jpg, thumb_000.jpg to thumb_999.jpg, sprite_000.jpg to sprite_999.jpg or \
    storyboard.vtt"
)]
pub struct UnknownImage;

impl FromStr for ImageName {
    type Err = UnknownImage;

    fn from_str(name: &str) -> Result<Self, UnknownImage> {
        match name {
            "poster.jpg" => return Ok(Self::Poster),
            "storyboard.vtt" => return Ok(Self::Storyboard),
            _ => {}
        }
        let numbered = |prefix: &str| three_digits(name.strip_prefix(prefix)?.strip_suffix(".jpg")?);
        let thumb = numbered("thumb_").map(Self::Thumb);
        thumb.or_else(|| numbered("sprite_").map(Self::Sprite)).ok_or(UnknownImage)
    }
}

fn three_digits(text: &str) -> Option<u16> {
    (text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The number of a track in the plan: digits, without leading zeros.
pub fn parse_track(text: &str) -> Option<u32> {
    text.parse().ok().filter(|track: &u32| track.to_string() == text)
}

/// An image, or the subtitles of a track in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraFile {
    Image(ImageName),
    Subtitle(u32),
}

impl ExtraFile {
    /// The file that [`ExtraFile::kind`] and [`ExtraFile::name`] describe.
    pub fn parse(kind: ExtraKind, name: &str) -> Option<Self> {
        match kind {
            ExtraKind::Image => name.parse().ok().map(Self::Image),
            ExtraKind::Subtitle => parse_track(name).map(Self::Subtitle),
        }
    }

    pub fn kind(self) -> ExtraKind {
        match self {
            Self::Image(_) => ExtraKind::Image,
            Self::Subtitle(_) => ExtraKind::Subtitle,
        }
    }

    pub fn name(self) -> String {
        match self {
            Self::Image(name) => name.to_string(),
            Self::Subtitle(track) => track.to_string(),
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Image(ImageName::Poster | ImageName::Thumb(_) | ImageName::Sprite(_)) => "image/jpeg",
            Self::Image(ImageName::Storyboard) | Self::Subtitle(_) => "text/vtt; charset=utf-8",
        }
    }

    /// The most bytes it may have.
    pub fn max_bytes(self) -> u64 {
        match self {
            Self::Image(ImageName::Storyboard) => MIB,
            Self::Image(_) | Self::Subtitle(_) => 8 * MIB,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_these_are_names_of_images() {
        for name in ["poster.jpg", "thumb_000.jpg", "thumb_999.jpg", "sprite_042.jpg", "storyboard.vtt"] {
            assert_eq!(name.parse::<ImageName>().unwrap().to_string(), name);
        }
        for name in [
            "",
            "poster",
            "poster.jpeg",
            "Poster.jpg",
            "../poster.jpg",
            "thumb_1.jpg",
            "thumb_1000.jpg",
            "thumb_+01.jpg",
            "thumb_٠٠٠.jpg",
            "sprite_000.vtt",
            "storyboard.jpg",
            "poster.jpg\0",
        ] {
            assert_eq!(name.parse::<ImageName>(), Err(UnknownImage), "{name}");
        }
    }

    #[test]
    fn a_file_is_what_its_kind_and_name_say() {
        for file in [ExtraFile::Image(ImageName::Sprite(7)), ExtraFile::Subtitle(0), ExtraFile::Subtitle(31)]
        {
            assert_eq!(ExtraFile::parse(file.kind(), &file.name()), Some(file));
        }
        assert_eq!(ExtraFile::parse(ExtraKind::Subtitle, "01"), None);
        assert_eq!(ExtraFile::parse(ExtraKind::Image, "0"), None);
    }

    proptest! {
        #[test]
        fn a_name_that_is_taken_is_spelled_only_one_way(name in "\\PC{0,20}|(thumb|sprite)_[0-9]{2,4}\\.jpg") {
            if let Ok(image) = name.parse::<ImageName>() {
                prop_assert_eq!(image.to_string(), name);
            }
        }
    }
}
