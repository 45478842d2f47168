//! Far too much of something, or far too little, in files that are otherwise honest.

use std::process::Command;

use framefarm_worker::encoder::protocol::ProbeTask;

use crate::driver::Running;
use crate::trial::{Outcome, judge, try_source};
use crate::yard::{Yard, clip};

/// What ffmpeg makes, written like its arguments.
fn made_by_ffmpeg(name: &str, arguments: &str) -> Outcome {
    let yard = Yard::new();
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-v", "error", "-y"]).args(arguments.split_whitespace()).arg(yard.source());
    assert!(command.status().unwrap().success(), "{command:?}");
    try_source(name, &yard)
}

#[test]
fn pictures_that_are_too_large_are_refused() {
    let giant = "-f lavfi -i color=size=16000x9000:rate=1:duration=1 -c:v mjpeg -f avi";
    judge(vec![made_by_ffmpeg("16000x9000", giant).must_be_refused()]);
}

#[test]
fn pictures_that_are_too_small_are_refused_or_made() {
    let of = |size: &str| {
        format!("-f lavfi -i color=size={size}:rate=5:duration=1,format=gray -c:v ffv1 -f matroska")
    };
    let dot = made_by_ffmpeg("1x1", &of("1x1")).must_be_refused();
    let small = ["2x2", "2x720", "720x2", "3x3"].map(|size| made_by_ffmpeg(size, &of(size)).must_be_made());
    judge(std::iter::once(dot).chain(small).collect());
}

#[test]
fn two_hundred_tracks_are_cut_down_to_some() {
    let tracks = "-map 0:a ".repeat(200);
    let arguments = format!("-f lavfi -i sine=duration=1 {tracks} -c:a pcm_s16le -f matroska");
    let outcome = made_by_ffmpeg("200 audio tracks", &arguments);
    let some = outcome.plan.as_ref().is_some_and(|plan| plan.source.audio.len() == 16);
    judge(vec![outcome.expect(some, "not sixteen tracks")]);
}

#[test]
fn a_video_of_more_than_a_day_is_refused() {
    let slow = "-f lavfi -i color=size=16x16:rate=1/1000:duration=90000 -c:v mpeg4 -f matroska";
    judge(vec![made_by_ffmpeg("25 hours", slow).must_be_refused()]);
}

#[test]
fn hours_without_a_change_are_made_in_time() {
    let slow = "-f lavfi -i color=size=16x16:rate=1/1000:duration=20000 -c:v mpeg4 -f matroska";
    judge(vec![made_by_ffmpeg("5 hours of 20 frames", slow).must_be_made()]);
}

#[test]
fn a_probe_that_nobody_listens_to_ends_at_once() {
    let yard = Yard::new();
    std::fs::write(yard.source(), clip("mkv")).unwrap();
    // Looking for the next cluster takes minutes.
    std::fs::OpenOptions::new().append(true).open(yard.source()).unwrap().set_len(64 << 30).unwrap();
    let mut running = Running::start("probe", &ProbeTask { source: yard.source(), copy: true });
    drop(running.stdin().take());
    let ended = running.finish();
    assert_eq!((ended.said.len(), ended.status.code()), (0, Some(3)), "{}", ended.stderr);
}

#[test]
fn a_file_with_a_long_nothing_behind_it_is_made() {
    let yard = Yard::new();
    std::fs::write(yard.source(), clip("mp4")).unwrap();
    let file = std::fs::OpenOptions::new().append(true).open(yard.source()).unwrap();
    file.set_len(8 << 30).unwrap();
    judge(vec![try_source("8 GiB of zeros behind an mp4", &yard).lasts_at_most(7).must_be_made()]);
}
