//! What ffprobe says of a file.

use std::path::Path;

use framefarm_shared::plan::{AudioTrack, Plan, SourceInfo, SubtitleTrack, VideoTrack};
use serde_json::Value;
use tokio::process::Command;

pub(crate) async fn plan_of(source: &Path) -> Plan {
    let mut command = Command::new("ffprobe");
    command.args(["-v", "error", "-show_format", "-show_streams", "-of", "json"]).arg(source);
    let output = command.output().await.unwrap();
    let probed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let seconds: f64 = probed["format"]["duration"].as_str().unwrap().parse().unwrap();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a clip of a few seconds")]
    let duration_us = (seconds * 1e6).round() as u64;
    let streams = probed["streams"].as_array().unwrap();
    let of_kind = |kind: &'static str| streams.iter().filter(move |stream| stream["codec_type"] == kind);
    let video = of_kind("video").next().map(|stream| VideoTrack {
        width: number(&stream["width"]),
        height: number(&stream["height"]),
        frame_rate: rate(stream["avg_frame_rate"].as_str().unwrap()),
        codec: stream["codec_name"].as_str().unwrap().to_owned(),
    });
    let audio = of_kind("audio").map(|stream| AudioTrack {
        language: None,
        title: None,
        channels: number(&stream["channels"]),
    });
    let subtitles = of_kind("subtitle").map(|stream| SubtitleTrack {
        language: stream["tags"]["language"].as_str().map(str::to_owned),
        title: None,
        forced: false,
    });
    let (audio, subtitles) = (audio.collect(), subtitles.collect());
    Plan::regular(SourceInfo { duration_us, video, has_cover: None, audio, subtitles, notes: vec![] })
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn rate(text: &str) -> f64 {
    let (over, under) = text.split_once('/').unwrap();
    over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap()
}
