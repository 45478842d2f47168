//! The containers that people upload, each with codecs that it usually holds.

use crate::clip::{Clip, SECONDS, X264};

fn check(options: &str, name: &str) {
    let made = Clip::usual().with(options).save(name).transcode();
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
}

#[test]
fn mp4_with_h264_and_aac() {
    check(&format!("{X264} -c:a aac"), "clip.mp4");
}

#[test]
fn mp4_in_fragments() {
    let fragments = "-movflags frag_keyframe+delay_moov";
    check(&format!("{X264} -g 25 -c:a aac {fragments}"), "clip.mp4");
}

#[test]
fn mov_with_h264_and_pcm() {
    check(&format!("{X264} -c:a pcm_s16le"), "clip.mov");
}

#[test]
fn mov_with_prores() {
    check("-c:v prores_ks -profile:v 0 -c:a pcm_s24le", "clip.mov");
}

#[test]
fn mkv_with_h264_and_flac() {
    check(&format!("{X264} -c:a flac"), "clip.mkv");
}

#[test]
fn webm_with_vp8_and_vorbis() {
    check("-c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis", "clip.webm");
}

#[test]
fn webm_with_vp9_and_opus() {
    check("-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus", "clip.webm");
}

#[test]
fn mpeg_ts_with_h264_and_aac() {
    check(&format!("{X264} -c:a aac"), "clip.ts");
}

#[test]
fn mpeg_ts_with_mpeg2_and_ac3() {
    check("-c:v mpeg2video -bf 2 -c:a ac3", "clip.ts");
}

#[test]
fn mpeg_ps_with_mpeg2_and_mp2() {
    check("-c:v mpeg2video -c:a mp2", "clip.mpg");
}

#[test]
fn avi_with_mpeg4_and_mp3() {
    let made = Clip::usual().with("-c:v mpeg4 -c:a libmp3lame").save("clip.avi").transcode();
    // Nothing in an AVI tells of the 23 ms that MP3 begins late.
    made.is_whole(SECONDS).shows_every_frame();
}

#[test]
fn avi_with_motion_jpeg_of_full_range() {
    check("-c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le", "clip.avi");
}

#[test]
fn flv_with_h264_and_aac() {
    check(&format!("{X264} -c:a aac"), "clip.flv");
}

#[test]
fn wmv_with_wma() {
    check("-c:v wmv2 -c:a wmav2", "clip.wmv");
}

#[test]
fn ogv_with_theora_and_vorbis() {
    check("-c:v libtheora -c:a libvorbis", "clip.ogv");
}

#[test]
fn an_animated_gif() {
    let clip = Clip::empty().picture("192x108", "10", SECONDS).with("-pix_fmt pal8").save("clip.gif");
    clip.transcode().is_whole(SECONDS).shows_every_frame();
}
