//! Lengths, rates and timestamps.

use framefarm_worker::encoder::protocol::{Report, segment_path};

use crate::clip::{Clip, SECONDS, X264};
use crate::copies::packet_at;
use crate::driver::Running;
use crate::made::{qualities, task};
use crate::segment::Segment;
use crate::signal::{loudness, tone};

#[test]
fn a_rate_of_television() {
    let clip = Clip::empty().picture("192x108", "24000/1001", SECONDS).sound(SECONDS);
    let made = clip.with(X264).with("-c:a aac").save("clip.mkv").transcode();
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn a_hundred_and_twenty_frames_a_second() {
    let clip = Clip::empty().picture("160x120", "120", SECONDS).sound(SECONDS);
    let made = clip.with(X264).with("-c:a aac").save("clip.mp4").transcode();
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn a_rate_that_varies() {
    let clip = Clip::usual().with("-vf select='not(mod(n\\,3))+gt(random(0)\\,0.7)' -fps_mode vfr");
    let made = clip.with(X264).with("-c:a aac").save("clip.mp4").transcode();
    made.is_whole(SECONDS).shows_every_frame();
}

#[test]
fn times_that_begin_late() {
    let clip = Clip::usual().with(X264).with("-c:a aac -output_ts_offset 50000").save("clip.ts");
    clip.transcode().is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn times_that_overflow_on_the_way() {
    // 2^33 ticks of 90 kHz are 95443.7 s.
    let clip = Clip::usual().with(X264).with("-g 25 -c:a aac -output_ts_offset 95439").save("clip.ts");
    clip.transcode().is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn times_that_begin_anew_on_the_way() {
    let again = Clip::usual().with(X264).with("-c:a aac").save("again.ts");
    let clip = Clip::usual().with(X264).with("-c:a aac -output_ts_offset 3000").save("clip.ts");
    let made = clip.followed_by(&again.path).transcode();
    assert_eq!(made.plan.joins.len(), 1);
    made.is_whole(2.0 * SECONDS).shows(350).is_in_sync();
}

#[test]
fn sound_that_begins_with_times_that_begin_anew_stays_with_its_picture() {
    let late = |name| Clip::usual().with("-af atrim=start=1").with(X264).with("-c:a aac").save(name);
    let (clip, again) = (late("clip.ts"), late("again.ts"));
    let made = clip.followed_by(&again.path).transcode();
    assert_eq!(made.plan.joins.len(), 1);
    made.is_whole(2.0 * SECONDS).is_in_sync();
}

#[test]
fn sound_that_begins_later_than_its_picture() {
    let clip = Clip::usual().with("-af atrim=start=0.7").with(X264).with("-c:a pcm_s16le").save("clip.mov");
    clip.transcode().is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn a_picture_that_begins_a_little_later_than_its_sound() {
    let clip =
        Clip::usual().with("-vf trim=start=2 -fps_mode vfr").with(X264).with("-c:a aac").save("clip.mkv");
    clip.transcode().is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn a_picture_that_begins_a_segment_later_than_its_sound() {
    let clip = Clip::empty().picture("192x108", "25", 15.0).sound(15.0);
    let clip = clip.with("-vf trim=start=13 -fps_mode vfr").with(X264).with("-c:a aac").save("clip.mkv");
    // Its first frame also stands where there is none yet.
    clip.transcode().is_whole(15.0).shows(50 + 2);
}

#[test]
fn sound_with_a_hole_is_silent_there_and_in_time_behind_it() {
    let hole = "-af aselect='not(between(t\\,0.5\\,2.5))'";
    let made = Clip::usual().with(hole).with(X264).with("-c:a libmp3lame").save("clip.mkv").transcode();
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn sound_longer_than_its_picture_goes_on_with_the_last_frame() {
    let made = Clip::silent().sound(14.0).with(X264).with("-c:a aac").save("clip.mp4").transcode();
    // One frame more where the third segment begins.
    made.is_whole(14.0).shows(175 + 1).is_in_sync();
}

#[test]
fn sound_a_little_longer_than_its_picture_ends_with_it() {
    let made = Clip::silent().sound(7.9).with(X264).with("-c:a aac").save("clip.mp4").transcode();
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn sound_shorter_than_its_picture_ends_in_silence() {
    let made = Clip::silent().sound(4.0).with(X264).with("-c:a aac").save("clip.mp4").transcode();
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
    assert!(loudness(made.sound("audio0"), 5, 7) < 0.001);
}

#[test]
fn what_an_edit_list_cuts_off_is_not_shown() {
    let clip = Clip::usual().with(X264).with("-g 50 -bf 2 -c:a aac").save("whole.mp4");
    let made = clip.cut_from("1.52", "clip.mp4").transcode();
    assert!(!made.plan.copy);
    // Without its first 38 frames; the keyframe at the beginning is only decoded.
    made.is_whole(SECONDS - 1.52).shows(175 - 38).is_in_sync();
}

#[test]
fn a_picture_lost_on_the_way_leaves_whole_segments_alone() {
    let seconds = 48.0;
    let clip = Clip::empty().picture("160x120", "25", seconds).with(X264).with("-g 25").save("clip.mp4");
    let source = clip.changed(|mut bytes| {
        let lost = bytes.len() / 6..bytes.len() - 20_000;
        bytes[lost].fill(0);
        bytes
    });
    let plan = source.plan(false);
    let task = task(&source, &plan, &qualities(&plan, "120p:500,90p:300"));
    let ended = Running::start("encode", &task).finish();
    let Some(Report::Failed { class, message }) = ended.said.last() else {
        panic!("{:?}", ended.said.last())
    };
    assert_eq!(class.to_string(), "input_invalid");
    assert_eq!(message, "the video is damaged after 0:08; 1 of 8 segments were kept");
    let told = ended.said.iter().filter_map(|report| match report {
        Report::Segment { quality, index, .. } => Some(segment_path(&task.output, quality, *index)),
        _ => None,
    });
    let frames: Vec<_> = told.map(|path| Segment::read(&path).samples.len()).collect();
    assert_eq!(frames, [150, 150]);
}

#[test]
fn a_still_picture_with_a_long_sound() {
    let still = "color=red:size=192x108:rate=1:duration=1";
    let made =
        Clip::empty().graph(still).sound(20.0).with(X264).with("-c:a aac").save("clip.mp4").transcode();
    // One frame a segment: 0, 6, 12 and 18 s.
    made.is_whole(20.0).shows(4);
    assert!((tone(made.sound("audio0")) - 3.0).abs() < 0.02);
}

#[test]
fn a_single_frame() {
    let made = Clip::empty().picture("192x108", "25", 0.04).with(X264).save("clip.mp4").transcode();
    made.is_whole(0.04).shows(1);
}

#[test]
fn a_fifth_of_a_second() {
    let clip = Clip::empty().picture("192x108", "25", 0.2).sound(0.2).with(X264).with("-c:a aac");
    clip.save("clip.mp4").transcode().is_whole(0.2).shows_every_frame();
}

#[test]
fn a_file_that_was_cut_off_is_made_as_far_as_it_goes() {
    let clip = Clip::usual().with(X264).with("-c:a aac -movflags +faststart").save("clip.mp4");
    let made = clip.changed(|bytes| bytes[..bytes.len() * 2 / 3].to_vec()).transcode();
    let frames = made.frames(&made.qualities[0]).len();
    assert!((80..150).contains(&frames), "{frames} frames");
    #[expect(clippy::cast_precision_loss, reason = "a few frames")]
    made.is_whole(frames as f64 / 25.0).is_in_sync();
    assert!(made.said.iter().all(|report| !matches!(report, Report::QualityFailed { .. })));
}

/// A decoder of several threads tells of the damage when it is asked for what it still holds.
#[test]
fn frames_behind_a_damaged_one_at_the_very_end_are_kept() {
    let source = Clip::silent().with(X264).with("-bf 0 -g 10").save("clip.mp4");
    let last_but_two = packet_at(&source, SECONDS - 0.13);
    let source = source.changed(|mut bytes| {
        bytes[last_but_two..last_but_two + 4].fill(0x7f);
        bytes
    });
    let plan = source.plan(false);
    let mut task = task(&source, &plan, &qualities(&plan, "108p:500"));
    task.settings.threads = 32;
    let running = Running::start("encode", &task);
    source.encode(plan, &task, running).shows(174);
}
