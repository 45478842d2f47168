//! Audio files, whose cover is their poster.

use crate::api::Api;
use crate::encode;
use crate::program::Member;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cover_of_an_audio_file_becomes_its_poster() {
    let api = Api::start().await;
    let member = Member::register(&api, "listener").await;
    let program = member.start(&api.url, &[]);
    for (name, cover) in [
        ("song.mp3", Some("mjpeg")),
        ("song.m4a", Some("png")),
        ("song.flac", Some("mjpeg")),
        ("bare.mp3", None),
    ] {
        let video = api.upload(&encode::song(api.scratch(), name, cover).await).await;
        api.until_ready(&video).await;
        let made = api.video(video.id).await;
        assert!(made["width"].is_null() && made["storyboard_url"].is_null(), "{name}: {made}");
        match made["poster_url"].as_str() {
            Some(poster) => assert!(api.bytes(poster).await.starts_with(b"\xff\xd8\xff"), "{name}"),
            None => assert!(cover.is_none(), "{name} has no poster: {made}"),
        }
        assert_eq!(made["poster_url"].is_string(), cover.is_some(), "{name}: {made}");
    }
    program.kill().await;
    api.stop().await;
}
