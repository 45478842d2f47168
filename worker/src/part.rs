//! Finished segments as one archive: `manifest.json`, `init.mp4`, then the segments in order.
//!
//! Nothing is held in memory: each file is read once to be measured for the manifest, which leads, and once more to
//! be packed. The archive's own digest is taken while it is written. Every entry has the same owner, mode and time,
//! so that equal segments make equal archives.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use framefarm_shared::part::{
    FileEntry, MANIFEST_VERSION, ManifestFault, PartFile, PartManifest, SegmentEntry, Sha256Hex,
};

use crate::digest::{Hashed, measure};

/// What goes into a part. `segments` follow each other, the first one has the index `first_segment`.
#[derive(Clone, Debug)]
pub struct PartFiles {
    pub quality: String,
    pub first_segment: u32,
    pub init: PathBuf,
    pub segments: Vec<PathBuf>,
}

/// An archive on disk, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartArchive {
    pub path: PathBuf,
    pub quality: String,
    pub first_segment: u32,
    pub size: u64,
    pub sha256: Sha256Hex,
}

#[derive(Debug, thiserror::Error)]
pub enum PartError {
    #[error("{}: {error}", path.display())]
    Disk { path: PathBuf, error: io::Error },
    #[error("invalid manifest: {0}")]
    Manifest(#[from] ManifestFault),
    #[error("{} changed while it was being packed", .0.display())]
    Changed(PathBuf),
}

/// Writes the part to `target`. It blocks: call it where blocking is allowed.
pub fn write_part(files: &PartFiles, target: &Path) -> Result<PartArchive, PartError> {
    let manifest = manifest_of(files)?;
    let on_target = |error| PartError::Disk { path: target.to_owned(), error };
    let file = File::create(target).map_err(on_target)?;
    // Stored: media does not shrink, and the cores belong to the encoder.
    let gzip = GzEncoder::new(Hashed::new(BufWriter::new(file)), Compression::none());
    let mut tar = tar::Builder::new(gzip);

    let text = serde_json::to_vec(&manifest).map_err(|error| on_target(error.into()))?;
    append(&mut tar, PartFile::Manifest, text.len() as u64, text.as_slice()).map_err(on_target)?;
    append_file(&mut tar, PartFile::Init, &files.init, manifest.init.size, manifest.init.sha256)?;
    for (path, entry) in files.segments.iter().zip(&manifest.segments) {
        append_file(&mut tar, PartFile::Segment(entry.index), path, entry.size, entry.sha256)?;
    }

    let gzip = tar.into_inner().map_err(on_target)?;
    let (mut file, size, sha256) = gzip.finish().map_err(on_target)?.finish();
    file.flush().map_err(on_target)?;
    let (path, quality) = (target.to_owned(), files.quality.clone());
    Ok(PartArchive { path, quality, first_segment: files.first_segment, size, sha256 })
}

fn manifest_of(files: &PartFiles) -> Result<PartManifest, PartError> {
    let (size, sha256) = measure_file(&files.init)?;
    let init = FileEntry { size, sha256 };
    let mut segments = Vec::with_capacity(files.segments.len());
    for (path, offset) in files.segments.iter().zip(0..) {
        let index = files.first_segment.checked_add(offset).ok_or(ManifestFault::IndexOverflow)?;
        let (size, sha256) = measure_file(path)?;
        segments.push(SegmentEntry { index, size, sha256 });
    }
    let (quality, first_segment) = (files.quality.clone(), files.first_segment);
    let manifest = PartManifest { version: MANIFEST_VERSION, quality, first_segment, init, segments };
    manifest.check()?;
    Ok(manifest)
}

fn measure_file(path: &Path) -> Result<(u64, Sha256Hex), PartError> {
    open(path).and_then(measure).map_err(|error| PartError::Disk { path: path.to_owned(), error })
}

fn open(path: &Path) -> io::Result<BufReader<File>> {
    Ok(BufReader::with_capacity(128 * 1024, File::open(path)?))
}

/// A file that was rewritten since it was measured would make an archive that the API refuses: say so here instead.
fn append_file<W: Write>(
    tar: &mut tar::Builder<W>,
    name: PartFile,
    path: &Path,
    size: u64,
    sha256: Sha256Hex,
) -> Result<(), PartError> {
    let on_disk = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => PartError::Changed(path.to_owned()),
        _ => PartError::Disk { path: path.to_owned(), error },
    };
    let mut content = Hashed::new(open(path).map_err(on_disk)?.take(size));
    append(tar, name, size, &mut content).map_err(on_disk)?;
    let (_, packed, digest) = content.finish();
    if packed == size && digest == sha256 { Ok(()) } else { Err(PartError::Changed(path.to_owned())) }
}

fn append<W: Write>(
    tar: &mut tar::Builder<W>,
    name: PartFile,
    size: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_mode(0o644);
    header.set_size(size);
    tar.append_data(&mut header, name.to_string(), content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;

    fn files(directory: &Path) -> PartFiles {
        let write = |name: &str, content: &[u8]| {
            let path = directory.join(name);
            std::fs::write(&path, content).unwrap();
            path
        };
        let init = write("any-name", b"init");
        let segments = vec![write("a", b"first"), write("b", &vec![7; 300_000])];
        PartFiles { quality: "360p".to_owned(), first_segment: 41, init, segments }
    }

    #[test]
    fn a_part_holds_manifest_init_and_segments_in_order_and_its_digest_is_the_files() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("part.tar.gz");
        let part = write_part(&files(directory.path()), &target).unwrap();
        assert_eq!((part.size, part.sha256), measure(File::open(&target).unwrap()).unwrap());

        let mut archive = tar::Archive::new(GzDecoder::new(File::open(&target).unwrap()));
        let mut entries = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            entries.push((entry.path().unwrap().display().to_string(), content));
        }
        let names: Vec<_> = entries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["manifest.json", "init.mp4", "seg_00041.m4s", "seg_00042.m4s"]);
        let manifest: PartManifest = serde_json::from_slice(&entries[0].1).unwrap();
        assert_eq!(manifest.check(), Ok(()));
        for (segment, (_, content)) in manifest.segments.iter().zip(&entries[2..]) {
            assert_eq!((segment.size, segment.sha256), measure(content.as_slice()).unwrap());
        }
    }

    #[test]
    fn equal_segments_make_equal_archives() {
        let directory = tempfile::tempdir().unwrap();
        let files = files(directory.path());
        let first = write_part(&files, &directory.path().join("one")).unwrap();
        let second = write_part(&files, &directory.path().join("two")).unwrap();
        assert_eq!(first.sha256, second.sha256);
    }

    #[test]
    fn a_part_without_segments_is_refused_before_anything_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let empty = PartFiles { segments: vec![], ..files(directory.path()) };
        let target = directory.path().join("part");
        assert!(matches!(write_part(&empty, &target), Err(PartError::Manifest(ManifestFault::Empty))));
        assert!(!target.exists());
    }
}
