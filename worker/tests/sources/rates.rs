//! The frame rate that is told of a source, against what ffprobe counts.

use crate::clip::{Clip, SECONDS, Source, X264};
use crate::media;

fn told(source: &Source) -> f64 {
    source.plan(false).source.video.unwrap().frame_rate
}

fn is_near(source: &Source, rate: f64) {
    let told = told(source);
    assert!((told / rate - 1.0).abs() < 0.01, "{told} fps instead of {rate}");
}

/// What ffprobe says of the whole file.
fn average(source: &Source) -> f64 {
    let streams = media::streams(&source.path, &["-select_streams", "v:0"]);
    let text = streams[0]["avg_frame_rate"].as_str().unwrap().to_owned();
    let (over, under) = text.split_once('/').unwrap();
    over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap()
}

#[test]
fn usual_rates_are_told_exactly() {
    for (rate, number) in [
        ("25", 25.0),
        ("30000/1001", 30_000.0 / 1001.0),
        ("24000/1001", 24_000.0 / 1001.0),
        ("60", 60.0),
        ("5", 5.0),
    ] {
        for name in ["clip.mp4", "clip.mkv", "clip.ts", "clip.avi", "clip.flv"] {
            let clip = Clip::empty().picture("192x108", rate, SECONDS).with(X264).with("-bf 0").save(name);
            let told = told(&clip);
            assert!((told / number - 1.0).abs() < 0.002, "{rate} in {name}: {told}");
        }
    }
}

#[test]
fn a_rate_that_changes_is_told_as_its_average() {
    for name in ["clip.mp4", "clip.mkv"] {
        // 60 frames a second, of which from the third second on every sixth is left.
        let clip = Clip::empty().picture("192x108", "60", 10.0).with(X264);
        let clip = clip.with("-vf select='lt(t,3)+not(mod(n,6))' -fps_mode vfr").save(name);
        is_near(&clip, 25.0);
    }
}

#[test]
fn fields_are_not_counted_as_frames() {
    for (name, codec) in [
        (
            "clip.ts",
            "-c:v libx264 -preset ultrafast -flags +ildct+ilme -x264opts interlaced=1:fake-interlaced=0",
        ),
        ("clip.mpg", "-c:v mpeg2video -flags +ildct+ilme"),
        ("clip.mp4", "-c:v libx264 -preset ultrafast -flags +ildct+ilme"),
    ] {
        let clip = Clip::empty().picture("192x108", "50", SECONDS);
        let clip = clip.with("-vf interlace=lowpass=0,setfield=tff -pix_fmt yuv420p").with(codec).save(name);
        is_near(&clip, 25.0);
        assert!((average(&clip) - 25.0).abs() < 0.5 || name == "clip.mpg", "{name}: {}", average(&clip));
    }
}

#[test]
fn pieces_that_were_joined_keep_their_rate() {
    let piece = Clip::empty().picture("192x108", "25", 3.0).with(X264).save("piece.ts");
    let (path, times) = (piece.path.clone(), 6);
    let joined = piece.changed(|bytes| bytes.repeat(times));
    assert!(joined.path == path);
    is_near(&joined, 25.0);
}

#[test]
fn sound_that_begins_earlier_does_not_slow_the_picture() {
    // Five seconds of sound before two of picture.
    let clip = Clip::empty().sound(7.0).picture("192x108", "25", 2.0).with(X264);
    let clip = clip.with("-map 0 -map 1 -c:a aac -vf setpts=PTS+5/TB -fps_mode passthrough").save("clip.mp4");
    is_near(&clip, 25.0);
}
