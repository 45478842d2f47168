//! Sources whose own pictures can be segments.

use framefarm_shared::ladder::MediaKind;

use crate::clip::{Clip, Source, X264};
use crate::made::Made;
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
    let Decoded::Frames(frames) = source else { panic!("no picture") };
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
