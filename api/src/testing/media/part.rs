//! Parts as a good worker builds them, with a place to break each layer.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use framefarm_shared::part::{
    FileEntry, MANIFEST_VERSION, PartManifest, SegmentEntry, Sha256Hex, segment_name,
};
use sha2::{Digest, Sha256};
use tar::Header;

use super::fmp4;

/// A video part whose segments lie between the given boundaries, numbered from `first`.
pub fn part(quality: &str, first: u32, boundaries_us: &[u64]) -> PartBuilder {
    PartBuilder {
        quality: quality.to_owned(),
        first,
        init: fmp4::video_init(1280, 720),
        segments: segments(boundaries_us, fmp4::video_segment),
    }
}

/// The same for audio.
pub fn audio_part(quality: &str, first: u32, boundaries_us: &[u64]) -> PartBuilder {
    PartBuilder {
        quality: quality.to_owned(),
        first,
        init: fmp4::audio_init(),
        segments: segments(boundaries_us, fmp4::audio_segment),
    }
}

fn segments(boundaries_us: &[u64], make: fn(u64, u64) -> Vec<u8>) -> Vec<Vec<u8>> {
    boundaries_us.windows(2).map(|w| make(w[0], w[1])).collect()
}

/// A part in the making. The manifest is written last and always describes the files as they are.
#[derive(Debug, Clone)]
pub struct PartBuilder {
    pub quality: String,
    pub first: u32,
    pub init: Vec<u8>,
    pub segments: Vec<Vec<u8>>,
}

impl PartBuilder {
    #[must_use]
    pub fn init(mut self, init: Vec<u8>) -> Self {
        self.init = init;
        self
    }

    /// Replaces the `nth` segment of this part.
    #[must_use]
    pub fn segment(mut self, nth: usize, segment: Vec<u8>) -> Self {
        self.segments[nth] = segment;
        self
    }

    pub fn manifest(&self) -> PartManifest {
        let segments = (self.first..).zip(&self.segments).map(|(index, bytes)| {
            let FileEntry { size, sha256 } = describe(bytes);
            SegmentEntry { index, size, sha256 }
        });
        PartManifest {
            version: MANIFEST_VERSION,
            quality: self.quality.clone(),
            first_segment: self.first,
            init: describe(&self.init),
            segments: segments.collect(),
        }
    }

    /// The entries of the archive: the manifest, the init segment, the segments.
    pub fn entries(&self) -> Vec<RawEntry> {
        self.entries_behind(&self.manifest())
    }

    /// The archive, as a worker would send it.
    pub fn build(&self) -> Vec<u8> {
        gzip(&RawEntry::tar(&self.entries()))
    }

    /// The archive with a bent manifest.
    pub fn build_with_manifest(&self, bend: impl FnOnce(&mut PartManifest)) -> Vec<u8> {
        let mut manifest = self.manifest();
        bend(&mut manifest);
        gzip(&RawEntry::tar(&self.entries_behind(&manifest)))
    }

    /// The archive with bent entries.
    pub fn build_with_entries(&self, bend: impl FnOnce(&mut Vec<RawEntry>)) -> Vec<u8> {
        let mut entries = self.entries();
        bend(&mut entries);
        gzip(&RawEntry::tar(&entries))
    }

    /// The archive with a bent tar stream inside.
    pub fn build_with_tar(&self, bend: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut tar = RawEntry::tar(&self.entries());
        bend(&mut tar);
        gzip(&tar)
    }

    fn entries_behind(&self, manifest: &PartManifest) -> Vec<RawEntry> {
        let manifest = serde_json::to_vec(manifest).expect("a manifest is plain data");
        let mut entries =
            vec![RawEntry::file("manifest.json", manifest), RawEntry::file("init.mp4", self.init.clone())];
        for (index, bytes) in (self.first..).zip(&self.segments) {
            entries.push(RawEntry::file(segment_name(index), bytes.clone()));
        }
        entries
    }
}

fn describe(bytes: &[u8]) -> FileEntry {
    FileEntry { size: bytes.len() as u64, sha256: Sha256Hex(Sha256::digest(bytes).into()) }
}

/// One tar entry that may say anything. The checksum is set when it is written, unless `bad_checksum`.
#[derive(Clone)]
pub struct RawEntry {
    pub header: Header,
    pub content: Vec<u8>,
    pub bad_checksum: bool,
}

impl RawEntry {
    /// A regular file with a ustar header.
    pub fn file(name: impl AsRef<[u8]>, content: impl Into<Vec<u8>>) -> Self {
        let content = content.into();
        let mut header = Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        header.set_entry_type(tar::EntryType::Regular);
        let mut entry = Self { header, content, bad_checksum: false };
        entry.rename(name);
        entry
    }

    /// An entry of another type, without content.
    pub fn special(name: impl AsRef<[u8]>, kind: u8) -> Self {
        let mut entry = Self::file(name, []);
        entry.set_kind(kind);
        entry
    }

    /// Writes the name field as it is given, up to its 100 bytes.
    pub fn rename(&mut self, name: impl AsRef<[u8]>) {
        let field = &mut self.header.as_old_mut().name;
        field.fill(0);
        for (to, from) in field.iter_mut().zip(name.as_ref()) {
            *to = *from;
        }
    }

    pub fn set_kind(&mut self, kind: u8) {
        self.header.as_old_mut().linkflag = [kind];
    }

    /// The tar stream of these entries with its end marker.
    pub fn tar(entries: &[Self]) -> Vec<u8> {
        let mut tar = Vec::new();
        for entry in entries {
            let mut header = entry.header.clone();
            header.set_cksum();
            if entry.bad_checksum {
                header.as_old_mut().mtime[0] ^= 1;
            }
            tar.extend_from_slice(header.as_bytes());
            tar.extend_from_slice(&entry.content);
            tar.resize(tar.len().next_multiple_of(512), 0);
        }
        tar.resize(tar.len() + 1024, 0);
        tar
    }
}

/// One gzip member around the given bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes every write");
    encoder.finish().expect("memory takes every write")
}
