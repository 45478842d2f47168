//! What is accepted beside the usual containers, and what is refused with a reason.

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::source_note::NoteCode;
use framefarm_worker::encoder::protocol::{ProbeTask, Report};

use crate::clip::{Clip, Source, X264};
use crate::driver::Running;
use crate::made::Made;

const MOVING: &str = "testsrc2=size=192x108:rate=25:duration=2";

fn transcoded(graph: &str, options: &str, name: &str) -> Made {
    // Nothing but the content tells what it is.
    let source = Clip::empty().graph(graph).with(options).save(name);
    let path = source.path.with_file_name("source");
    std::fs::rename(&source.path, &path).unwrap();
    Source { path, ..source }.transcode()
}

/// A stream that has times of its own.
fn check(options: &str, name: &str) {
    transcoded(MOVING, options, name).is_whole(2.0).shows(50);
}

/// The words that a source is refused with.
fn refusal(source: &Source) -> String {
    let task = ProbeTask { source: source.path.clone(), copy: true };
    let ended = Running::start("probe", &task).finish();
    match &ended.said[..] {
        [.., Report::Failed { class: ErrorClass::InputInvalid, message }] => message.clone(),
        other => panic!("{other:?} {}", ended.stderr),
    }
}

#[test]
fn a_camcorders_dv_is_accepted() {
    let graph = "testsrc2=size=720x576:rate=25:duration=2,setsar=16/15";
    let clip = Clip::empty().graph(graph).sound(2.0).with("-c:v dvvideo -pix_fmt yuv420p -ac 2");
    let made = clip.save("clip.dv").transcode();
    made.is_whole(2.0).shows_every_frame();
    assert_eq!(made.plan.source.audio.len(), 1);
    assert_eq!(made.sizes()[0], (144, 108));
}

#[test]
fn yuv4mpeg_is_accepted() {
    check("-pix_fmt yuv420p", "clip.y4m");
}

#[test]
fn ivf_is_accepted() {
    check("-c:v libvpx -deadline realtime -cpu-used 8", "clip.ivf");
}

#[test]
fn animated_png_is_accepted() {
    check("-c:v apng -plays 0", "clip.apng");
}

#[test]
fn bare_h264_is_accepted() {
    check(X264, "clip.h264");
}

#[test]
fn bare_hevc_is_accepted() {
    check("-c:v libx265 -preset ultrafast -pix_fmt yuv420p -x265-params log-level=error", "clip.hevc");
}

#[test]
fn bare_mpeg4_is_accepted() {
    check("-c:v mpeg4 -f m4v", "clip.m4v");
}

#[test]
fn bare_av1_is_accepted() {
    check("-c:v libaom-av1 -cpu-used 8 -pix_fmt yuv420p", "clip.obu");
}

#[test]
fn lines_from_bottom_to_top_are_accepted() {
    // A height above zero in the head of an AVI says that the last line comes first.
    let upside_down = |mut bytes: Vec<u8>| {
        let height = bytes.windows(4).position(|word| word == b"strf").unwrap() + 8 + 8;
        assert_eq!(bytes[height..height + 4], (-108_i32).to_le_bytes());
        bytes[height..height + 4].copy_from_slice(&108_i32.to_le_bytes());
        bytes
    };
    for format in ["pal8", "bgra"] {
        let options = format!("-c:v rawvideo -pix_fmt {format}");
        let source = Clip::empty().graph(MOVING).with(&options).save("clip.avi").changed(upside_down);
        source.transcode().is_whole(2.0).shows(50);
    }
}

#[test]
fn a_still_image_is_refused_as_such() {
    for name in ["still.png", "still.jpg", "still.bmp", "still.tiff", "still.gif", "still.webp"] {
        let webp = if name == "still.webp" { "-c:v libwebp" } else { "" };
        let still = Clip::empty().graph("testsrc=size=64x48").with("-frames:v 1").with(webp).save(name);
        let message = refusal(&still);
        assert!(message.contains("still image"), "{name}: {message}");
    }
}

#[test]
fn an_animated_webp_is_refused_with_a_way_out() {
    let animated = Clip::empty().graph(MOVING).with("-c:v libwebp").save("clip.webp");
    let message = refusal(&animated);
    assert!(message.contains("animated WebP") && message.contains("Convert"), "{message}");
}

#[test]
fn a_picture_of_one_pixel_is_refused_for_that() {
    let raw = Clip::empty()
        .graph("color=red:s=2x2:r=25:d=1,format=bgr0,crop=1:1")
        .with("-c:v ffv1 -pix_fmt bgr0")
        .save("clip.mkv");
    let message = refusal(&raw);
    assert_eq!(message, "the resolution is 1 × 1; the minimum is 2 × 2");
}

#[test]
fn a_picture_that_is_too_large_is_refused_with_the_limit() {
    let large = Clip::empty().graph("color=red:s=8192x4400:r=25:d=0.04").with("-c:v ffv1 -pix_fmt gray");
    let message = refusal(&large.save("clip.mkv"));
    assert_eq!(message, "the resolution is 8192 × 4400; the maximum is 8192 × 4320");
}

#[test]
fn pixels_of_an_absurd_shape_are_refused_with_what_to_do() {
    let clip = |aspect: &str| {
        let graph = format!("testsrc2=size=192x108:rate=25:duration=1,setsar={aspect}");
        Clip::empty().graph(&graph).with(X264).save("clip.mp4")
    };
    for aspect in ["100/1", "1/100"] {
        let message = refusal(&clip(aspect));
        assert!(message.contains("aspect ratio"), "{message}");
    }
    let made = clip("8/1").transcode_to("108p:900");
    made.is_whole(1.0).shows(25);
    assert_eq!(made.sizes(), [(1536, 108)]);
}

#[test]
fn the_larger_of_two_pictures_is_taken() {
    for name in ["clip.mkv", "clip.mp4"] {
        let defaults = "-disposition:v:0 default -disposition:v:1 0";
        let source = Clip::empty().graph("color=red:s=64x48:r=25:d=2").graph(MOVING).with("-map 0 -map 1");
        let made = source.with(X264).with(defaults).save(name).transcode();
        made.is_whole(2.0).shows(50);
        assert_eq!(made.sizes()[0], (192, 108), "{name}");
    }
}

#[test]
fn a_codec_that_nobody_uploads_by_chance_is_refused_by_its_name() {
    for (codec, options) in [("snow", "-c:v snow -strict -2 -pix_fmt yuv410p"), ("asv1", "-c:v asv1")] {
        let source = Clip::empty().graph(MOVING).sound(2.0).with(options).with("-c:a pcm_s16le");
        let told = refusal(&source.save("clip.avi"));
        let expected = format!("the video codec {codec} is not accepted");
        assert!(told.starts_with(&expected) && told.contains("Convert"), "{told}");
    }
    let told = refusal(&Clip::empty().sound(2.0).with("-c:a adpcm_yamaha").save("clip.wav"));
    assert!(told.starts_with("the audio codec adpcm_yamaha is not accepted"), "{told}");
}

#[test]
fn an_audio_track_in_such_a_codec_is_left_out_and_said_to_be() {
    let source = Clip::empty().graph(MOVING).sound(2.0).with(X264).with("-c:a adpcm_yamaha");
    let made = source.save("clip.avi").transcode();
    made.is_whole(2.0).shows(50);
    assert!(made.plan.source.audio.is_empty());
    let codes: Vec<_> = made.plan.source.notes.iter().map(|note| note.code.clone()).collect();
    assert_eq!(codes, [NoteCode::AudioTrackSkipped]);
}

#[test]
fn of_two_pictures_the_one_is_taken_whose_codec_is_accepted() {
    let larger = "testsrc2=size=384x216:rate=25:duration=2";
    let source = Clip::empty().graph(larger).graph(MOVING).with("-map 0 -map 1");
    let codecs =
        "-c:v:0 snow -strict -2 -pix_fmt:v:0 yuv410p -c:v:1 libx264 -preset ultrafast -pix_fmt:v:1 yuv420p";
    let made = source.with(codecs).save("clip.avi").transcode();
    made.is_whole(2.0).shows(50);
    let video = made.plan.source.video.as_ref().unwrap();
    assert_eq!((video.codec.as_str(), video.width), ("h264", 192));
}
