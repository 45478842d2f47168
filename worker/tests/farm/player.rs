//! Plays what the farm published, to the last frame.

use m3u8_rs::{AlternativeMedia, AlternativeMediaType, MasterPlaylist, MediaPlaylist, VariantStream};
use reqwest::Url;
use tokio::process::Command;

use crate::api::Api;

const SECONDS: f32 = 14.0;
const FRAMES: &str = "350";

pub(crate) async fn master(api: &Api, slug: &str) -> String {
    api.text(&format!("/videos/{slug}/master.m3u8")).await
}

/// Checks both levels of playlists and decodes every frame of every rendition; gives back the sizes, best first.
pub(crate) async fn play_through(api: &Api, slug: &str) -> Vec<String> {
    let url = api.at(&format!("/videos/{slug}/master.m3u8"));
    let (_, master) =
        m3u8_rs::parse_master_playlist(master(api, slug).await.as_bytes()).map_err(drop).unwrap();
    let mut variants: Vec<VariantStream> = master.variants.clone();
    variants.sort_by_key(|variant| std::cmp::Reverse(variant.bandwidth));
    let mut sizes = Vec::new();
    for variant in variants {
        let size = variant.resolution.unwrap();
        sizes.push(format!("{}x{}", size.width, size.height));
        check_variant(&variant);
        let playlist = url.join(&variant.uri).unwrap();
        check_length(api, &playlist).await;
        assert_eq!(frames_of(&playlist).await, FRAMES, "frames of {playlist}");
    }
    check_audio(api, &master, &url).await;
    check_subtitles(api, &master, &url).await;
    decode_everything(&url).await;
    sizes
}

/// How many frames each rendition shows, best first; every frame of all of them is decoded.
pub(crate) async fn frames(api: &Api, slug: &str) -> Vec<String> {
    let url = api.at(&format!("/videos/{slug}/master.m3u8"));
    let (_, master) =
        m3u8_rs::parse_master_playlist(master(api, slug).await.as_bytes()).map_err(drop).unwrap();
    decode_everything(&url).await;
    let mut frames = Vec::new();
    for variant in &master.variants {
        frames.push(frames_of(&url.join(&variant.uri).unwrap()).await);
    }
    frames
}

fn check_variant(variant: &VariantStream) {
    let codecs = variant.codecs.as_deref().unwrap();
    assert!(codecs.contains("avc1.") && codecs.contains("mp4a.40.2"), "{codecs}");
    let average = variant.average_bandwidth.unwrap();
    assert!(average > 10_000 && average <= variant.bandwidth, "{average} of {}", variant.bandwidth);
}

async fn check_audio(api: &Api, master: &MasterPlaylist, url: &Url) {
    let [audio] = of_type(master, &AlternativeMediaType::Audio)[..] else {
        panic!("not one audio rendition")
    };
    check_length(api, &url.join(audio.uri.as_deref().unwrap()).unwrap()).await;
}

fn of_type<'a>(master: &'a MasterPlaylist, kind: &AlternativeMediaType) -> Vec<&'a AlternativeMedia> {
    master.alternatives.iter().filter(|media| media.media_type == *kind).collect()
}

async fn check_subtitles(api: &Api, master: &MasterPlaylist, url: &Url) {
    let [words] = of_type(master, &AlternativeMediaType::Subtitles)[..] else {
        panic!("not one subtitle rendition")
    };
    assert_eq!((words.language.as_deref(), words.default, words.autoselect), (Some("de"), false, true));
    assert!(master.variants.iter().all(|variant| variant.subtitles.as_ref() == Some(&words.group_id)));
    let playlist = url.join(words.uri.as_deref().unwrap()).unwrap();
    let text = api.text(playlist.path()).await;
    let (_, media) = m3u8_rs::parse_media_playlist(text.as_bytes()).map_err(drop).unwrap();
    let [segment] = &media.segments[..] else { panic!("not one segment: {text}") };
    assert!((segment.duration - SECONDS).abs() < 0.1, "{text}");
    let vtt = api.text(playlist.join(&segment.uri).unwrap().path()).await;
    assert!(vtt.starts_with("WEBVTT") && vtt.contains("Guten Tag"), "{vtt}");
    assert_eq!(codec_of(&playlist).await, "webvtt");
}

async fn codec_of(playlist: &Url) -> String {
    let mut command = Command::new("ffprobe");
    command.args(["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", playlist.as_str()]);
    let output = command.output().await.unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or_default().to_owned()
}

async fn check_length(api: &Api, playlist: &Url) {
    let text = api.text(playlist.path()).await;
    let (_, media): (_, MediaPlaylist) =
        m3u8_rs::parse_media_playlist(text.as_bytes()).map_err(drop).unwrap();
    assert!(media.end_list && media.segments.len() == 3, "{text}");
    let total: f32 = media.segments.iter().map(|segment| segment.duration).sum();
    assert!((total - SECONDS).abs() < 0.1, "{total} s in {playlist}");
}

async fn frames_of(playlist: &Url) -> String {
    let mut command = Command::new("ffprobe");
    command.args(["-v", "error", "-count_frames", "-select_streams", "v:0"]);
    command.args(["-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", playlist.as_str()]);
    let output = command.output().await.unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    // The stream is listed once for its program and once for itself.
    String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or_default().to_owned()
}

async fn decode_everything(master: &Url) {
    let mut command = Command::new("ffmpeg");
    command.args([
        "-nostdin",
        "-v",
        "error",
        "-xerror",
        "-i",
        master.as_str(),
        "-map",
        "0",
        "-f",
        "null",
        "-",
    ]);
    let output = command.output().await.unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{complaints}");
}
