//! The manifest: read first, and checked against the plan and the limits before anything else is unpacked.

use std::io::Read;

use framefarm_shared::part::{PartFile, PartManifest};

use super::archive::Tar;
use super::error::quoted;
use super::{Expectation, PartError, PartLimits};

/// Reads the manifest, which must be the first entry.
pub(super) fn read<R: Read>(tar: &mut Tar<'_, R>, limits: &PartLimits) -> Result<PartManifest, PartError> {
    let name = PartFile::Manifest;
    let entry = tar.next()?.ok_or(PartError::MissingEntry { name })?;
    if entry.file != name {
        return Err(PartError::WrongOrder { expected: name, found: entry.file });
    }
    if entry.size > limits.max_manifest_bytes {
        return Err(PartError::TooBig { what: "manifest.json", limit: limits.max_manifest_bytes });
    }
    let mut text = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = tar.read(&mut chunk)?;
        match chunk.get(..read) {
            Some(bytes @ [_, ..]) => text.extend_from_slice(bytes),
            _ => break,
        }
    }
    serde_json::from_slice(&text)
        .map_err(|error| PartError::ManifestInvalid { reason: quoted(&error.to_string()) })
}

/// Whether the manifest agrees with itself, the plan and the limits.
pub(super) fn check(
    manifest: &PartManifest,
    limits: &PartLimits,
    expect: &Expectation,
) -> Result<(), PartError> {
    let found = manifest.segments.len();
    if u32::try_from(found).map_or(true, |found| found > limits.max_segments) {
        return Err(PartError::TooManyEntries { found, limit: limits.max_segments });
    }
    manifest.check().map_err(|fault| PartError::ManifestInvalid { reason: fault.to_string() })?;
    if manifest.quality != expect.quality {
        return Err(PartError::WrongQuality {
            expected: expect.quality.clone(),
            found: quoted(&manifest.quality),
        });
    }
    if manifest.first_segment != expect.first_segment {
        return Err(PartError::WrongFirstSegment {
            expected: expect.first_segment,
            found: manifest.first_segment,
        });
    }
    let planned = expect.planned_segments();
    if let Some(beyond) = manifest.segments.iter().find(|s| s.index >= planned) {
        return Err(PartError::OutOfRange { index: beyond.index, planned });
    }
    check_sizes(manifest, limits)
}

/// Refuses by the promised sizes, so that a part that cannot fit costs no disk.
fn check_sizes(manifest: &PartManifest, limits: &PartLimits) -> Result<(), PartError> {
    let over = |what, limit| Err(PartError::TooBig { what, limit });
    if manifest.init.size > limits.max_init_bytes {
        return over("init.mp4", limits.max_init_bytes);
    }
    let mut total = manifest.init.size;
    for segment in &manifest.segments {
        if segment.size > limits.max_segment_bytes {
            return over("a segment", limits.max_segment_bytes);
        }
        total = total.saturating_add(segment.size);
    }
    if total > limits.max_unpacked_bytes {
        return over("the sum of the files", limits.max_unpacked_bytes);
    }
    Ok(())
}
