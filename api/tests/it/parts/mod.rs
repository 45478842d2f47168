//! Parts: what a worker may deliver and what it may not.
//!
//! Every case goes through [`deliver`], which also checks that nothing appeared outside the scratch directory.

mod accepted;
mod ffmpeg;
mod fuzz;
mod hostile_archive;
mod hostile_manifest;
mod hostile_media;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use framefarm_api::parts::{Expectation, PartError, PartLimits, TrackKind, VerifiedPart, verify};
use framefarm_api::testing::media::{self, PartBuilder};
use tempfile::TempDir;

/// Four segments of 6 s.
const PLAN: [u64; 5] = [0, 6_000_000, 12_000_000, 18_000_000, 24_000_000];

/// Segments 1 and 2 of the plan.
fn good() -> PartBuilder {
    media::part("720p", 1, &PLAN[1..4])
}

fn good_audio() -> PartBuilder {
    media::audio_part("audio", 1, &PLAN[1..4])
}

fn expectation() -> Expectation {
    Expectation {
        quality: "720p".to_owned(),
        first_segment: 1,
        boundaries_us: Arc::from(PLAN),
        kind: TrackKind::Video,
        stream: None,
        tolerance_us: 1_000,
    }
}

fn audio_expectation() -> Expectation {
    Expectation { quality: "audio".to_owned(), kind: TrackKind::Audio, tolerance_us: 25_000, ..expectation() }
}

/// One delivery with its scratch directory, which lives as long as this does.
struct Delivery {
    result: Result<VerifiedPart, PartError>,
    _dir: TempDir,
}

fn deliver(archive: &[u8], limits: &PartLimits, expect: &Expectation) -> Delivery {
    let dir = TempDir::new().expect("a temporary directory");
    fs::write(dir.path().join("bystander"), "untouched").expect("a bystander");
    let scratch = dir.path().join("scratch");
    fs::create_dir(&scratch).expect("a scratch directory");
    let before = tree(dir.path(), &scratch);

    let result = verify(&mut &*archive, &scratch, limits, expect);

    assert_eq!(before, tree(dir.path(), &scratch), "something changed outside the scratch");
    for entry in fs::read_dir(&scratch).expect("the scratch is still there") {
        let metadata = entry.and_then(|e| e.metadata()).expect("an entry");
        assert!(metadata.is_file(), "only regular files are unpacked");
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o644);
    }
    Delivery { result, _dir: dir }
}

/// Every path below `dir` with its content, except inside `scratch`.
fn tree(dir: &Path, scratch: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path == scratch {
            continue;
        }
        if path.is_dir() {
            found.extend(tree(&path, scratch));
        }
        let content = fs::read(&path).unwrap_or_default();
        found.insert(path, content);
    }
    found
}

#[track_caller]
fn assert_refused(archive: &[u8], code: &str) {
    assert_refused_with(archive, &PartLimits::default(), &expectation(), code);
}

#[track_caller]
fn assert_refused_with(archive: &[u8], limits: &PartLimits, expect: &Expectation, code: &str) {
    match deliver(archive, limits, expect).result {
        Ok(_) => panic!("the part was accepted, expected {code}"),
        Err(error) => {
            assert_eq!(error.code(), code, "{error}");
            assert!(error.to_string().len() < 400, "the sentence is short: {error}");
            assert!(!error.to_string().contains(['\0', '\n']), "{error:?}");
        }
    }
}

/// Named tests from rows of `name: code, archive`.
macro_rules! refused {
    ($($name:ident: $code:literal, $archive:expr;)*) => {
        $(
            #[test]
            fn $name() {
                crate::parts::assert_refused(&$archive, $code);
            }
        )*
    };
}
use refused;
