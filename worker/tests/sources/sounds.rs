//! Tracks of sound: none, alone, many, with other channels than two.

use framefarm_shared::plan::AudioTrack;

use crate::clip::{Clip, SECONDS, X264};
use crate::made::Made;
use crate::media;
use crate::signal::{loudness, tone};

fn heard_at_three_seconds(made: &Made) -> bool {
    (tone(made.sound("audio0")) - 3.0).abs() < 0.03
}

#[test]
fn no_sound_at_all() {
    let made = Clip::silent().with(X264).save("clip.mp4").transcode();
    made.is_whole(SECONDS).shows_every_frame();
    assert!(made.plan.source.audio.is_empty());
}

#[test]
fn sound_alone_as_mp3() {
    let made = Clip::empty().sound(SECONDS).with("-c:a libmp3lame").save("clip.mp3").transcode();
    made.is_whole(SECONDS);
    assert!(made.plan.source.video.is_none() && heard_at_three_seconds(&made));
}

#[test]
fn sound_alone_as_flac() {
    let made = Clip::empty().sound(SECONDS).save("clip.flac").transcode();
    made.is_whole(SECONDS);
    assert!(made.plan.source.video.is_none() && heard_at_three_seconds(&made));
}

#[test]
fn the_cover_of_a_record_is_no_picture() {
    let cover = "color=red:size=64x64:rate=1:duration=1";
    let clip = Clip::empty().sound(SECONDS).graph(cover).with("-map 0 -map 1 -c:a libmp3lame -c:v mjpeg");
    let made = clip.with("-disposition:v attached_pic").save("clip.mp3").transcode();
    made.is_whole(SECONDS);
    assert_eq!(made.plan.source.has_cover, Some(true));
    assert!(made.plan.source.video.is_none() && heard_at_three_seconds(&made));
}

#[test]
fn six_channels_become_two() {
    let six = "-af pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0";
    let made = Clip::usual().with(six).with(X264).with("-c:a ac3").save("clip.mkv").transcode();
    made.is_whole(SECONDS).is_in_sync();
    assert_eq!(made.plan.source.audio, [AudioTrack { channels: 6, ..AudioTrack::default() }]);
    assert_eq!(media::streams(&made.file("audio0"), &[])[0]["channels"], 2);
}

#[test]
fn what_is_only_in_the_centre_is_heard() {
    let centre = "-af pan=5.1|c2=c0";
    let made = Clip::usual().with(centre).with(X264).with("-c:a flac").save("clip.mkv").transcode();
    made.is_whole(SECONDS).is_in_sync();
}

#[test]
fn one_channel_stays_one() {
    let made = Clip::usual().with("-ac 1").with(X264).with("-c:a aac").save("clip.mp4").transcode();
    made.is_whole(SECONDS).is_in_sync();
    assert_eq!(media::streams(&made.file("audio0"), &[])[0]["channels"], 1);
}

#[test]
fn several_tracks_keep_their_languages() {
    let clip = Clip::usual().sound(SECONDS).with("-map 0 -map 1 -map 2").with(X264).with("-c:a aac");
    let clip = clip.with("-metadata:s:a:0 language=eng -metadata:s:a:1 language=deu").save("clip.mkv");
    let made = clip.transcode();
    made.is_whole(SECONDS).is_in_sync();
    let languages: Vec<_> = made.plan.source.audio.iter().map(|track| track.language.as_deref()).collect();
    assert_eq!(languages, [Some("en"), Some("de")]);
}

#[test]
fn sound_that_changes_its_shape_on_the_way_goes_on() {
    let tone = |rate| format!("sine=frequency=440:sample_rate={rate}:duration=4");
    let after = Clip::empty().graph(&tone(44_100)).with("-ac 2 -c:a aac").save("after.aac");
    let clip = Clip::empty().graph(&tone(48_000)).with("-ac 1 -c:a aac").save("clip.aac");
    let made = clip.followed_by(&after.path).transcode();
    made.plan.check().unwrap();
    let sound = made.sound("audio0");
    assert!(loudness(sound, 1, 3) > 0.05 && loudness(sound, 5, 7) > 0.05);
}
