//! Posters, thumbnails and storyboards, whatever happened to the source.

use framefarm_worker::encoder::protocol::{Report, image_path};

use crate::clip::{Clip, Source, X264};
use crate::made::Made;
use crate::media;

/// H.264 that is copied, in a transport stream; a keyframe every two seconds.
fn copyable() -> Clip {
    Clip::empty().picture("192x108", "25", 14.0).with(X264).with("-g 50 -keyint_min 50 -sc_threshold 0 -bf 3")
}

fn images(made: &Made) -> Vec<&str> {
    let names = made.said.iter().filter_map(|report| match report {
        Report::Image { name } => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}

/// A poster, ten thumbnails and a tile for each second, all of them JPEGs that can be read.
fn has_all_images(made: &Made, tiles: usize) {
    let names = images(made);
    let thumbnails = names.iter().filter(|name| name.starts_with("thumb_")).count();
    assert!(names.contains(&"poster.jpg"), "{names:?} {:?}", made.warnings());
    assert_eq!(thumbnails, 10, "{names:?}");
    let board = std::fs::read_to_string(image_path(&made.output, "storyboard.vtt")).unwrap();
    assert_eq!(board.matches("-->").count(), tiles);
    for name in names.iter().filter(|name| **name != "storyboard.vtt") {
        let stream = &media::streams(&image_path(&made.output, name), &[])[0];
        assert_eq!(stream["codec_name"], "mjpeg", "{name}");
    }
}

/// Copied if it can be: then no frame is decoded for a quality.
fn copied(source: Source) -> Made {
    let plan = source.plan(true);
    source.follow(plan, "108p:2000")
}

#[test]
fn a_copied_transport_stream_has_all_images() {
    let made = copied(copyable().save("clip.ts"));
    assert!(made.plan.copy);
    has_all_images(&made, 14);
}

#[test]
fn a_copied_transport_stream_of_one_group_has_all_images() {
    let clip = Clip::empty().picture("192x108", "25", 5.0).with(X264).with("-g 500 -sc_threshold 0 -bf 3");
    let made = copied(clip.save("clip.ts"));
    has_all_images(&made, 5);
}

#[test]
fn a_source_whose_keyframes_are_all_damaged_still_has_a_poster() {
    // Only the middle of a group is left: no keyframe at all, but frames that refresh bit by bit.
    let options =
        "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 500 -x264-params intra-refresh=1:keyint=25";
    let clip = Clip::empty().picture("192x108", "25", 4.0).with(options).save("whole.ts");
    let clip = clip.remuxed("-bsf:v noise=amount=0:drop=lt(n\\,10)", "clip.ts");
    let plan = clip.plan(false);
    let made = clip.follow(plan, "108p:2000");
    has_all_images(&made, made.plan.source.duration_us.div_ceil(1_000_000).try_into().unwrap());
}

#[test]
fn audio_without_a_cover_has_no_images() {
    let made = Clip::empty().sound(3.0).with("-c:a flac").save("song.flac").transcode();
    made.is_whole(3.0);
    assert_eq!((images(&made), made.warnings()), (vec![], &[][..]));
    assert_eq!(made.plan.source.has_cover, Some(false));
}
