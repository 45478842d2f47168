//! Real clips, from published packages (`scripts/footage`): cameras and encoders do what no generator thinks of.

use std::path::Path;

use crate::clip::Source;

fn clip(name: &str) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/footage").join(name);
    assert!(path.exists(), "{} is missing: run scripts/footage", path.display());
    let scratch = tempfile::tempdir().unwrap();
    let copy = scratch.path().join(name);
    std::fs::copy(path, &copy).unwrap();
    Source { path: copy, scratch }
}

#[test]
fn a_clip_in_full_hd_with_scene_cuts_and_surround_sound() {
    let made = clip("bunny-1080p.mp4").transcode_to("480p:1000,240p:300");
    made.is_whole(30.0).shows_every_frame();
    assert_eq!(made.sizes(), [(852, 480), (426, 240)]);
}

#[test]
fn a_clip_whose_sound_is_longer_than_its_picture() {
    let made = clip("bunny-720p.mp4").transcode_to("720p:2500,360p:600");
    made.is_whole(5.312).shows_every_frame();
}

#[test]
fn a_street_in_an_unusual_shape_without_sound() {
    let made = clip("bikes.mp4").transcode_to("360p:600,144p:200");
    made.is_whole(10.0).shows_every_frame();
    assert!(
        made.sizes().iter().all(|(width, height)| width % 2 == 0 && height % 2 == 0),
        "{:?}",
        made.sizes()
    );
}

#[test]
fn a_call_of_the_nineties_at_29_97_frames() {
    clip("carphone.mp4").transcode_to("144p:200").is_whole(4.004).shows_every_frame();
}
