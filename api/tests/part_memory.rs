//! Verifying a part takes a few MiB of memory, whatever the part claims to be.
//!
//! A binary of its own, with one test: the peak of the whole process is what is measured.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use framefarm_api::parts::{Expectation, PartLimits, TrackKind, verify};
use framefarm_api::testing::media::{self, RawEntry};
use sha2::{Digest, Sha256};

const MIB: u64 = 1 << 20;
const ALLOWED: u64 = 24 * MIB;

/// The most memory this process ever held, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.expect("a line with the peak") * 1024
}

/// A part with one segment of `length` zeros and a manifest that agrees, written to a file.
fn bomb(path: &Path, length: u64) -> io::Result<()> {
    let zeros = vec![0; usize::try_from(MIB).expect("small")];
    let mut hasher = Sha256::new();
    for _ in 0..length / MIB {
        hasher.update(&zeros);
    }
    let part = media::part("720p", 0, &[0, 6_000_000]);
    let mut manifest = part.manifest();
    manifest.segments[0].size = length;
    manifest.segments[0].sha256.0 = hasher.finalize().into();
    let mut entries = part.entries();
    entries[0] = RawEntry::file("manifest.json", serde_json::to_vec(&manifest)?);
    let mut last = RawEntry::file("seg_00000.m4s", []);
    last.header.set_size(length);
    entries[2] = last;

    let mut gzip = GzEncoder::new(fs::File::create(path)?, Compression::best());
    let tar = RawEntry::tar(&entries);
    gzip.write_all(&tar[..tar.len() - 1024])?;
    for _ in 0..length / MIB {
        gzip.write_all(&zeros)?;
    }
    gzip.write_all(&[0; 1024])?;
    gzip.finish()?.sync_all()
}

#[test]
fn a_bomb_of_hundreds_of_mebibytes_takes_little_memory() {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("bomb.tar.gz");
    let expect = Expectation {
        quality: "720p".to_owned(),
        first_segment: 0,
        boundaries_us: Arc::from([0, 6_000_000]),
        kind: TrackKind::Video,
        stream: None,
        tolerance_us: 1_000,
    };
    let open = PartLimits {
        max_archive_bytes: u64::MAX,
        max_unpacked_bytes: u64::MAX,
        max_segment_bytes: u64::MAX,
        max_ratio: u64::MAX,
        ..PartLimits::default()
    };
    let by_ratio = PartLimits { max_ratio: PartLimits::default().max_ratio, ..open.clone() };
    let by_bytes = PartLimits { max_segment_bytes: PartLimits::default().max_segment_bytes, ..open.clone() };
    bomb(&archive, 400 * MIB).expect("a bomb");

    // With no limits the whole bomb is unpacked, and even that must stream.
    for (limits, code, most_on_disk) in [
        (by_ratio, "part_ratio", 2 * MIB),
        (by_bytes, "part_too_big", MIB),
        (open, "part_bad_media", 401 * MIB),
    ] {
        let scratch = dir.path().join(code);
        fs::create_dir(&scratch).expect("a scratch directory");
        let before = peak();
        let mut file = fs::File::open(&archive).expect("the bomb");
        let error = verify(&mut file, &scratch, &limits, &expect).expect_err("a bomb");
        let grown = peak() - before;
        assert_eq!(error.code(), code, "{error}");
        assert!(grown < ALLOWED, "{code}: the peak grew by {grown} bytes");
        let on_disk: u64 = fs::read_dir(&scratch)
            .expect("the scratch")
            .map(|entry| entry.and_then(|e| e.metadata()).expect("a file").len())
            .sum();
        assert!(on_disk <= most_on_disk, "{code}: {on_disk} bytes on disk");
    }
}
