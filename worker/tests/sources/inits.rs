//! One quality, made by encoders that do not agree on its init segment.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use framefarm_shared::ladder::{MediaKind, PlannedQuality, VideoCodec};
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{EncodeTask, Report, init_path, segment_path};
use sha2::{Digest as _, Sha256};

use crate::clip::{Clip, Source, X264};
use crate::driver::Running;
use crate::made::{qualities, task};
use crate::media::{self, Decoded};
use crate::segment::Segment;

const LADDER: &str = "120p:500,96p:300:hevc,90p:300:av1";
const FRAMES: usize = 150;

/// Six segments of [`FRAMES`] each.
fn source() -> Source {
    let clip = Clip::empty().picture("160x120", "25", 36.0);
    clip.with(X264).with("-g 150").save("clip.mkv")
}

pub(crate) fn sha256(path: &Path) -> String {
    Sha256::digest(std::fs::read(path).unwrap()).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// These segments by this preset, into their own directory; `after` is a task that made some before.
fn some(
    whole: &EncodeTask,
    name: &str,
    preset: &str,
    (first, last): (i32, i32),
    after: Option<&EncodeTask>,
) -> EncodeTask {
    let mut some = whole.clone();
    some.output = whole.output.with_file_name(name);
    std::fs::create_dir(&some.output).unwrap();
    preset.clone_into(&mut some.settings.preset);
    for quality in &mut some.qualities {
        quality.missing = vec![SegmentRange { first, last }];
        quality.known_init = after.map(|task| sha256(&init_path(&task.output, &quality.quality.name)));
    }
    let ended = Running::start("encode", &some).finish();
    assert!(matches!(ended.said.last(), Some(Report::Done { stopped: false, .. })), "{}", ended.stderr);
    some
}

/// The init segment of one task, and behind it segments of several.
pub(crate) fn joined(
    quality: &PlannedQuality,
    init: &EncodeTask,
    parts: &[(&EncodeTask, Range<u32>)],
) -> PathBuf {
    let (name, init) = (&quality.name, &init.output);
    let segments = parts.iter().flat_map(|(task, range)| {
        range.clone().map(|index| segment_path(&task.output, name, index)).collect::<Vec<PathBuf>>()
    });
    let paths = std::iter::once(init_path(init, name)).chain(segments);
    let bytes: Vec<u8> = paths.flat_map(|path| std::fs::read(path).unwrap()).collect();
    let file = init.with_file_name(format!("{name}-{}.mp4", bytes.len()));
    std::fs::write(&file, bytes).unwrap();
    file
}

/// The frames of such a file, decoded without a complaint.
pub(crate) fn frames_of(
    quality: &PlannedQuality,
    init: &EncodeTask,
    parts: &[(&EncodeTask, Range<u32>)],
) -> usize {
    match &media::decode(&[(&joined(quality, init, parts), MediaKind::Video)])[..] {
        [Decoded::Frames(frames)] => frames.len(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn segments_of_another_encoder_play_after_either_init_segment() {
    let source = source();
    let plan = source.plan(false);
    let planned = qualities(&plan, LADDER);
    let whole = task(&source, &plan, &planned);
    let first = some(&whole, "first", "ultrafast", (0, 2), None);
    let other = some(&whole, "other", "medium", (2, 3), Some(&first));
    let again = some(&whole, "again", "ultrafast", (4, 5), Some(&first));
    for quality in &planned {
        let (name, codec) = (&quality.name, quality.codec);
        let inits =
            [&first, &other, &again].map(|task| std::fs::read(init_path(&task.output, name)).unwrap());
        assert_eq!(inits[0], inits[2], "{name}");
        assert!(codec != VideoCodec::H264 || inits[0] != inits[1], "{name}: the presets are too much alike");
        let brings = |task: &EncodeTask, index| {
            Segment::read(&segment_path(&task.output, name, index)).brings_sets(codec)
        };
        assert_eq!(brings(&first, 1), codec == VideoCodec::Av1, "{name}");
        assert!(brings(&other, 2) && brings(&other, 3), "{name}");
        let (before, between, after) = ((&first, 0..2), (&other, 2..4), (&again, 4..6));
        assert_eq!(
            frames_of(quality, &first, &[before, between.clone(), after.clone()]),
            6 * FRAMES,
            "{name}"
        );
        assert_eq!(frames_of(quality, &other, &[between]), 2 * FRAMES, "{name}");
        assert_eq!(frames_of(quality, &first, &[(&first, 2..3), after]), 3 * FRAMES, "{name}");
    }
}
