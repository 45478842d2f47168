//! Why a part is refused.
//!
//! Each variant has a stable code for programs and one sentence that tells the author of a worker what to change. Names
//! and numbers from the part are quoted and cut, so that a sentence is always fit for a log line.

use std::io;

use framefarm_shared::part::PartFile;

#[derive(Debug, thiserror::Error)]
pub enum PartError {
    #[error(
        "the entry name {name} is not like manifest.json, init.mp4 or seg_00042.m4s; use exactly these \
        names, without directories"
    )]
    BadName { name: String },
    #[error("the entry {name} is a {kind}; a part contains regular files only")]
    NotAFile { name: String, kind: &'static str },
    #[error("the archive contains a {kind}; write plain ustar headers, the names are short enough")]
    TarExtension { kind: &'static str },
    #[error("the entry {name} appears twice; write each file once")]
    DuplicateEntry { name: PartFile },
    #[error(
        "the entry {found} is where {expected} should be; write manifest.json, init.mp4, then the segments \
        in order"
    )]
    WrongOrder { expected: PartFile, found: PartFile },
    #[error("the archive ends before {name}; write every file the manifest lists")]
    MissingEntry { name: PartFile },
    #[error("the entry {name} is not listed in the manifest; list it or leave it out")]
    ExtraEntry { name: PartFile },
    #[error("the gzip stream is damaged; compress and send the part again")]
    BadGzip,
    #[error("the tar archive is damaged ({reason}); build and send the part again")]
    BadTar { reason: &'static str },
    #[error("the archive is truncated; send the whole part again")]
    Truncated,
    #[error(
        "data follows the end of the archive; send one gzip member with one tar archive and nothing else"
    )]
    TrailingData,
    #[error("{what} exceeds the limit of {limit} bytes; make smaller parts")]
    TooBig { what: &'static str, limit: u64 },
    #[error("the manifest lists {found} segments, the maximum is {limit}; make smaller parts")]
    TooManyEntries { found: usize, limit: u32 },
    #[error("the archive unpacks to more than {limit} times its size; media does not compress like that")]
    Ratio { limit: u64 },
    #[error("the sha256 of {name} does not match the manifest; hash the file after it is complete")]
    HashMismatch { name: PartFile },
    #[error(
        "{name} has {found} bytes, but the manifest says {expected}; write the manifest after the file is \
        complete"
    )]
    SizeMismatch { name: PartFile, expected: u64, found: u64 },
    #[error("manifest.json is not valid: {reason}")]
    ManifestInvalid { reason: String },
    #[error(
        "the manifest is for quality {found}, but the part was delivered as {expected}; send it to its own \
        quality"
    )]
    WrongQuality { expected: String, found: String },
    #[error(
        "the manifest starts at segment {found}, but the part was delivered at {expected}; send it to its \
        own position"
    )]
    WrongFirstSegment { expected: u32, found: u32 },
    #[error("segment {index} is outside the plan of {planned} segments; read the plan of this job again")]
    OutOfRange { index: u32, planned: u32 },
    #[error(
        "init.mp4 is for {codecs} at timescale {timescale}, but this quality began with {known} at \
         {known_timescale}; encode all parts of a quality with the same codec and timescale"
    )]
    OtherStream { known: String, known_timescale: u32, codecs: String, timescale: u32 },
    #[error("{name} is not a valid CMAF file: {reason}")]
    BadMedia { name: PartFile, reason: String },
    #[error("{name} does not fit the timeline: {reason}")]
    Timeline { name: PartFile, reason: String },
    #[error("the part could not be read completely")]
    Read(#[source] io::Error),
    #[error("the part could not be unpacked on the server")]
    Scratch(#[source] io::Error),
}

impl PartError {
    /// A name for programs. Never changes once released.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::BadName { .. } => "part_bad_name",
            Self::NotAFile { .. } => "part_not_a_file",
            Self::TarExtension { .. } => "part_tar_extension",
            Self::DuplicateEntry { .. } => "part_duplicate_entry",
            Self::WrongOrder { .. } => "part_wrong_order",
            Self::MissingEntry { .. } => "part_missing_entry",
            Self::ExtraEntry { .. } => "part_extra_entry",
            Self::BadGzip => "part_bad_gzip",
            Self::BadTar { .. } => "part_bad_tar",
            Self::Truncated => "part_truncated",
            Self::TrailingData => "part_trailing_data",
            Self::TooBig { .. } => "part_too_big",
            Self::TooManyEntries { .. } => "part_too_many_entries",
            Self::Ratio { .. } => "part_ratio",
            Self::HashMismatch { .. } => "part_hash_mismatch",
            Self::SizeMismatch { .. } => "part_size_mismatch",
            Self::ManifestInvalid { .. } => "part_manifest_invalid",
            Self::WrongQuality { .. } => "part_wrong_quality",
            Self::WrongFirstSegment { .. } => "part_wrong_first_segment",
            Self::OutOfRange { .. } => "part_out_of_range",
            Self::OtherStream { .. } => "part_init_differs",
            Self::BadMedia { .. } => "part_bad_media",
            Self::Timeline { .. } => "part_timeline",
            Self::Read(_) => "part_read_failed",
            Self::Scratch(_) => "part_scratch_failed",
        }
    }

    /// Whether the server failed, not the part: the same bytes may be accepted later.
    pub const fn is_ours(&self) -> bool {
        matches!(self, Self::Scratch(_))
    }
}

/// Text from a part made fit to print: escaped, quoted and at most about 100 characters.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 100;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}
