//! Sources whose own pictures can be segments.

use framefarm_shared::ladder::MediaKind;
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::segment_path;

use crate::clip::{Clip, Source, X264};
use crate::driver::Running;
use crate::made::{Made, qualities, task};
use crate::media::{self, Decoded, Frame};

const SECONDS: f64 = 14.0;

/// A keyframe every two seconds.
fn copyable(more: &str, name: &str) -> Source {
    let clip = Clip::empty().picture("192x108", "25", SECONDS).sound(SECONDS);
    clip.with(X264).with("-g 50 -keyint_min 50 -sc_threshold 0 -bf 3 -c:a aac").with(more).save(name)
}

fn follow(source: Source) -> Made {
    let plan = source.plan(true);
    let made = source.follow(plan, "108p:2000,72p:300");
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
    made
}

fn hashes(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.hash.as_str()).collect()
}

/// Whether the largest quality has exactly the source's pixels.
fn is_copied(made: &Made) -> bool {
    let source = media::decode(&[(made.source(), MediaKind::Video)]).remove(0);
    let Decoded::Frames(frames) = source else { panic!("no video") };
    hashes(made.frames(&made.qualities[0])) == hashes(&frames)
}

#[test]
fn closed_groups_of_two_seconds_are_copied_from_mp4() {
    let made = follow(copyable("", "clip.mp4"));
    assert!(made.plan.copy && is_copied(&made));
    assert_eq!(made.plan.boundaries_us, [0, 6_000_000, 12_000_000, 14_000_000]);
}

#[test]
fn closed_groups_of_two_seconds_are_copied_from_mpeg_ts() {
    let made = follow(copyable("", "clip.ts"));
    assert!(made.plan.copy && is_copied(&made));
}

#[test]
fn closed_groups_of_two_seconds_are_copied_from_mkv() {
    let made = follow(copyable("", "clip.mkv"));
    assert!(made.plan.copy && is_copied(&made));
}

#[test]
fn a_source_above_the_cap_is_encoded_at_its_own_keyframes() {
    let source = copyable("", "clip.mp4");
    let plan = source.plan(true);
    let made = source.follow(plan, "108p:200");
    made.is_whole(SECONDS).shows_every_frame();
    assert!(made.plan.copy && !is_copied(&made));
}

#[test]
fn open_groups_are_not_copied() {
    let made = follow(copyable("-x264-params open-gop=1", "clip.mp4"));
    assert!(!made.plan.copy && !is_copied(&made));
}

#[test]
fn keyframes_too_far_apart_are_not_copied() {
    let made = follow(copyable("-g 300 -keyint_min 300", "clip.mp4"));
    assert!(!made.plan.copy && !is_copied(&made));
}

#[test]
fn pictures_of_which_only_the_order_of_decoding_is_known_are_not_copied() {
    assert!(!copyable("", "clip.avi").plan(true).copy);
}

#[test]
fn interlaced_pictures_are_not_copied() {
    let source = copyable("-flags +ilme+ildct -x264-params tff=1", "clip.mp4");
    assert!(!source.plan(true).copy);
}

#[test]
fn a_transport_stream_with_lost_packets_is_not_copied() {
    let source = copyable("", "clip.ts").changed(|bytes| {
        let packets = bytes.chunks(188).enumerate();
        packets.filter(|(number, _)| number % 301 != 300).flat_map(|(_, packet)| packet.to_vec()).collect()
    });
    assert!(!source.plan(true).copy);
}

/// The position of the first packet of the picture at or behind an instant.
pub(crate) fn packet_at(source: &Source, seconds: f64) -> usize {
    let mut command = std::process::Command::new("ffprobe");
    command.args([
        "-v",
        "error",
        "-select_streams",
        "v",
        "-show_entries",
        "packet=pts_time,pos",
        "-of",
        "csv=p=0",
    ]);
    let text = String::from_utf8(media::run(command.arg(&source.path))).unwrap();
    let mut packets = text.lines().filter_map(|line| line.trim_end_matches(',').split_once(','));
    let found = packets.find(|(at, _)| at.parse::<f64>().is_ok_and(|at| at >= seconds));
    found.unwrap().1.parse().unwrap()
}

#[test]
fn a_frame_that_is_cut_off_rules_copying_out() {
    let source = copyable("", "clip.mp4");
    let at = packet_at(&source, 8.0);
    let source = source.changed(|mut bytes| {
        bytes[at..at + 4].fill(0x7f);
        bytes
    });
    assert!(!source.plan(true).copy);
}

#[test]
fn a_source_that_turns_out_damaged_is_encoded_from_that_segment_on() {
    let source = copyable("", "clip.mp4");
    let (plan, at) = (source.plan(true), packet_at(&source, 8.0));
    assert!(plan.copy);
    let whole = media::decode(&[(&source.path, MediaKind::Video)]).remove(0);
    let Decoded::Frames(whole) = whole else { panic!("no video") };
    let source = source.changed(|mut bytes| {
        bytes[at..at + 4].fill(0x7f);
        bytes
    });
    let made = source.follow(plan, "108p:2000,72p:300");
    made.is_whole(SECONDS).is_in_sync();
    let frames = made.frames(&made.qualities[0]);
    assert_eq!(hashes(&frames[..150]), hashes(&whole[..150]), "the first segment is a copy");
    assert_ne!(hashes(&frames[150..160]), hashes(&whole[150..160]), "the second is not");
    assert!(
        made.warnings().iter().any(|warning| warning.contains("is encoded instead of copied from 0:06 on"))
    );
}

#[test]
fn a_range_that_begins_with_a_damaged_keyframe_is_encoded() {
    let source = copyable("-g 150 -keyint_min 150", "clip.mp4");
    let (plan, at) = (source.plan(true), packet_at(&source, 6.0));
    assert!(plan.copy);
    let source = source.changed(|mut bytes| {
        bytes[at..at + 4].fill(0x7f);
        bytes
    });
    let mut task = task(&source, &plan, &qualities(&plan, "108p:2000"));
    task.qualities.iter_mut().for_each(|quality| quality.missing = vec![SegmentRange { first: 1, last: 2 }]);
    let made = source.encode(plan, &task, Running::start("encode", &task));
    for quality in &made.qualities {
        let is_made = |index| segment_path(&made.output, &quality.name, index).exists();
        assert_eq!([0, 1, 2].map(is_made), [false, true, true], "{}", quality.name);
    }
}
