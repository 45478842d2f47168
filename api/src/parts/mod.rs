//! Checking one delivered part before it counts.
//!
//! A part is a tar.gz of consecutive segments of one quality, see [`framefarm_shared::part`]. It comes from a worker,
//! and a worker may be broken, old or not ours, so nothing in it is believed:
//!
//! 1. `inflate` unzips under byte and ratio limits, `archive` accepts only plain files with known names;
//! 2. the manifest is compared with the plan and the limits;
//! 3. each file is written under a name of our own while it is hashed;
//! 4. the boxes of each file are read: the right kind of track, and a timeline that continues to the tick.
//!
//! [`verify`] blocks; call it where blocking is fine. Memory stays within a few MiB whatever the part claims.

mod archive;
mod boxes;
mod codec;
mod error;
mod expectation;
mod file_error;
mod fragment;
mod header;
mod inflate;
mod init;
mod limits;
mod manifest;
mod most_demanding;
mod segment;
mod timeline;
mod unpack;

use std::io::Read;
use std::path::{Path, PathBuf};

use framefarm_shared::part::{PartFile, PartManifest};

pub use self::error::PartError;
pub use self::expectation::{Expectation, KnownStream, TrackKind};
pub use self::limits::PartLimits;
pub(crate) use self::most_demanding::most_demanding;

use self::archive::Tar;
use self::header::Entry;
use self::timeline::Timeline;
use self::unpack::{Promise, Unpacked, unpack};

/// A part that may count: complete, intact, and in its place on the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedPart {
    pub init: VerifiedInit,
    pub segments: Vec<VerifiedSegment>,
}

/// The init segment, unpacked at `path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedInit {
    pub sha256: [u8; 32],
    pub size: u64,
    pub path: PathBuf,
    pub kind: TrackKind,
    /// Ticks per second of every `*_ticks` in this part.
    pub timescale: u32,
    /// For the `CODECS` attribute of the playlist (RFC 6381).
    pub codecs: String,
    /// Pixels; 0 for audio.
    pub width: u16,
    pub height: u16,
    /// Audio channels; 0 for video.
    pub channels: u16,
}

/// One media segment, unpacked at `path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSegment {
    pub index: u32,
    pub sha256: [u8; 32],
    pub size: u64,
    pub path: PathBuf,
    pub start_ticks: u64,
    pub duration_ticks: u64,
    pub sample_count: u32,
}

/// Unpacks a part into `scratch`, a fresh directory, and checks it against the plan.
///
/// Nothing is written outside `scratch`. After an error the caller deletes `scratch` with whatever is in it.
pub fn verify(
    archive: &mut impl Read,
    scratch: &Path,
    limits: &PartLimits,
    expect: &Expectation,
) -> Result<VerifiedPart, PartError> {
    let mut tar = Tar::new(archive, limits);
    let manifest = manifest::read(&mut tar, limits)?;
    manifest::check(&manifest, limits, expect)?;

    let entry = next(&mut tar, PartFile::Init, &manifest)?;
    let promise =
        Promise { size: manifest.init.size, sha256: manifest.init.sha256, max_bytes: limits.max_init_bytes };
    let unpacked = unpack(&mut tar, &entry, &promise, scratch)?;
    let track = init::inspect(&unpacked, expect.kind).map_err(|file_error| file_error.of(PartFile::Init))?;
    if let Some(known) = &expect.stream
        && !known.goes_on_with(track.timescale, track.codecs())
    {
        return Err(PartError::OtherStream {
            known: known.codecs.clone(),
            known_timescale: known.timescale,
            codecs: track.codecs().to_owned(),
            timescale: track.timescale,
        });
    }

    let mut timeline = Timeline::new(track.timescale, expect);
    let mut segments = Vec::with_capacity(manifest.segments.len());
    for listed in &manifest.segments {
        let name = PartFile::Segment(listed.index);
        let entry = next(&mut tar, name, &manifest)?;
        let promise =
            Promise { size: listed.size, sha256: listed.sha256, max_bytes: limits.max_segment_bytes };
        let unpacked = unpack(&mut tar, &entry, &promise, scratch)?;
        let timing = segment::inspect(&unpacked, &track).map_err(|file_error| file_error.of(name))?;
        timeline.append(listed.index, &timing).map_err(|file_error| file_error.of(name))?;
        segments.push(verified_segment(listed.index, unpacked, &timing));
    }

    if let Some(entry) = tar.next()? {
        return Err(misplaced(entry.file, None, &manifest));
    }
    tar.finish()?;
    Ok(VerifiedPart { init: track.into_verified(unpacked), segments })
}

fn next<R: Read>(
    tar: &mut Tar<'_, R>,
    expected: PartFile,
    manifest: &PartManifest,
) -> Result<Entry, PartError> {
    match tar.next()? {
        None => Err(PartError::MissingEntry { name: expected }),
        Some(entry) if entry.file == expected => Ok(entry),
        Some(entry) => Err(misplaced(entry.file, Some(expected), manifest)),
    }
}

/// Why `found` stands where `expected` should, given that every entry so far was in its place.
fn misplaced(found: PartFile, expected: Option<PartFile>, manifest: &PartManifest) -> PartError {
    let place = |file: PartFile| match file {
        PartFile::Manifest => Some(0),
        PartFile::Init => Some(1),
        PartFile::Segment(index) => {
            manifest.segments.iter().position(|listed| listed.index == index).and_then(|at| at.checked_add(2))
        }
    };
    match (place(found), expected.map(|file| (file, place(file)))) {
        (None, _) => PartError::ExtraEntry { name: found },
        (Some(at), Some((expected, Some(due)))) if at > due => PartError::WrongOrder { expected, found },
        _ => PartError::DuplicateEntry { name: found },
    }
}

fn verified_segment(index: u32, unpacked: Unpacked, timing: &segment::Timing) -> VerifiedSegment {
    VerifiedSegment {
        index,
        sha256: unpacked.sha256,
        size: unpacked.size,
        path: unpacked.path,
        start_ticks: timing.start,
        duration_ticks: timing.duration,
        sample_count: timing.samples,
    }
}
