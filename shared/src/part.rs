//! What a part says about itself: the manifest that leads the archive and the names of the files behind it.
//!
//! The worker writes these, the API refuses everything else. A part holds `manifest.json`, `init.mp4` and then its
//! segments in order, flat, in one tar.gz.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The only manifest version there is.
pub const MANIFEST_VERSION: u32 = 1;

/// One file a part may hold. Its `Display` is the name in the archive, its `FromStr` the only grammar for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartFile {
    Manifest,
    Init,
    Segment(u32),
}

impl fmt::Display for PartFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest => f.write_str("manifest.json"),
            Self::Init => f.write_str("init.mp4"),
            Self::Segment(index) => f.write_str(&segment_name(*index)),
        }
    }
}

impl FromStr for PartFile {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "manifest.json" => Ok(Self::Manifest),
            "init.mp4" => Ok(Self::Init),
            other => parse_segment_name(other).map(Self::Segment).ok_or(UnknownName),
        }
    }
}

/// A name that no file of a part has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a file in a part")]
pub struct UnknownName;

/// `seg_00042.m4s`: five digits, more only when the index needs them.
pub fn segment_name(index: u32) -> String {
    format!("seg_{index:05}.m4s")
}

/// The index in a segment's name, if the name is spelled exactly as [`segment_name`] spells it.
pub fn parse_segment_name(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("seg_")?.strip_suffix(".m4s")?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let index = digits.parse().ok()?;
    (segment_name(index) == name).then_some(index)
}

/// `manifest.json`, the first entry of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartManifest {
    pub version: u32,
    pub quality: String,
    pub first_segment: u32,
    pub init: FileEntry,
    pub segments: Vec<SegmentEntry>,
}

impl PartManifest {
    /// Whether the manifest agrees with itself: known version, at least one segment, consecutive indices.
    pub fn check(&self) -> Result<(), ManifestFault> {
        if self.version != MANIFEST_VERSION {
            return Err(ManifestFault::Version(self.version));
        }
        if self.segments.is_empty() {
            return Err(ManifestFault::Empty);
        }
        let mut next = Some(self.first_segment);
        for segment in &self.segments {
            let expected = next.ok_or(ManifestFault::IndexOverflow)?;
            if segment.index != expected {
                return Err(ManifestFault::Gap { expected, found: segment.index });
            }
            next = expected.checked_add(1);
        }
        Ok(())
    }
}

/// Size and digest of `init.mp4`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    pub size: u64,
    pub sha256: Sha256Hex,
}

/// Index, size and digest of one segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentEntry {
    pub index: u32,
    pub size: u64,
    pub sha256: Sha256Hex,
}

/// Why a manifest contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestFault {
    #[error("unknown version {0}; write version {MANIFEST_VERSION}")]
    Version(u32),
    #[error("it lists no segments")]
    Empty,
    #[error("expected segment {expected}, found {found}; indices must be consecutive from first_segment")]
    Gap { expected: u32, found: u32 },
    #[error("the segment indices overflow")]
    IndexOverflow,
}

/// A SHA-256, written as 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Sha256Hex(pub [u8; 32]);

/// Not 64 lowercase hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sha256 must be 64 lowercase hexadecimal digits")]
pub struct NotASha256;

impl fmt::Display for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256Hex {
    type Err = NotASha256;

    fn from_str(text: &str) -> Result<Self, NotASha256> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(NotASha256);
        }
        let mut digest = [0; 32];
        for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Ok(Self(digest))
    }
}

fn nibble(digit: u8) -> Result<u8, NotASha256> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NotASha256),
    }
}

impl TryFrom<String> for Sha256Hex {
    type Error = NotASha256;

    fn try_from(text: String) -> Result<Self, NotASha256> {
        text.parse()
    }
}

impl From<Sha256Hex> for String {
    fn from(digest: Sha256Hex) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_index_has_one_name(index: u32) {
            prop_assert_eq!(parse_segment_name(&segment_name(index)), Some(index));
        }

        #[test]
        fn a_name_that_parses_is_spelled_canonically(name in "seg_[0-9+ ]{0,12}\\.m4s") {
            if let Some(index) = parse_segment_name(&name) {
                prop_assert_eq!(segment_name(index), name);
            }
        }

        #[test]
        fn a_digest_reads_back(bytes: [u8; 32]) {
            let digest = Sha256Hex(bytes);
            prop_assert_eq!(digest.to_string().parse(), Ok(digest));
        }
    }

    #[test]
    fn near_misses_are_not_names() {
        for name in [
            "seg_42.m4s",
            "seg_000042.m4s",
            "seg_+0042.m4s",
            "seg_00042.M4S",
            "seg_4294967296.m4s",
            "seg_.m4s",
            "./init.mp4",
            "init.mp4 ",
            "INIT.MP4",
            "manifest.json/",
            "",
        ] {
            assert_eq!(name.parse::<PartFile>(), Err(UnknownName), "{name:?}");
        }
    }

    #[test]
    fn a_digest_in_capitals_or_of_another_length_is_refused() {
        assert!("A".repeat(64).parse::<Sha256Hex>().is_err());
        assert!("a".repeat(63).parse::<Sha256Hex>().is_err());
        assert!("a".repeat(65).parse::<Sha256Hex>().is_err());
        assert!("é".repeat(32).parse::<Sha256Hex>().is_err());
    }
}
