//! Qualities in other codecs than H.264.

use crate::clip::{Clip, SECONDS, X264};
use crate::made::Made;
use crate::media;

fn check(ladder: &str) -> Made {
    let made = Clip::usual().with(X264).with("-c:a aac").save("clip.mp4").transcode_to(ladder);
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
    made
}

#[test]
fn hevc_beside_h264() {
    let made = check("108p:500,108p:400:hevc,72p:200:hevc");
    let stream = &media::streams(&made.file("108phevc"), &[])[0];
    assert_eq!((&stream["codec_name"], &stream["codec_tag_string"]), (&"hevc".into(), &"hvc1".into()));
}

#[test]
fn av1_beside_h264() {
    let made = check("108p:500,72p:200:av1");
    assert_eq!(media::streams(&made.file("72pav1"), &[])[0]["codec_name"], "av1");
}
