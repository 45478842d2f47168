//! What a real encoder writes is accepted.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use framefarm_api::parts::{Expectation, PartLimits, TrackKind};
use framefarm_api::testing::media::PartBuilder;

use super::{deliver, expectation};

/// Encodes 18 s of a test picture or tone into fMP4 HLS and packs what came out.
fn encode(dir: &Path, arguments: &[&str]) -> PartBuilder {
    let output = Command::new("ffmpeg")
        .current_dir(dir)
        .args(["-nostdin", "-v", "error", "-f", "lavfi", "-i"])
        .args(arguments)
        .args(["-f", "hls", "-hls_time", "6", "-hls_segment_type", "fmp4"])
        .args(["-hls_playlist_type", "vod", "-hls_segment_filename", "%05d.m4s", "list.m3u8"])
        .output()
        .expect("ffmpeg is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let segments = (0..3).map(|n| std::fs::read(dir.join(format!("{n:05}.m4s"))));
    PartBuilder {
        quality: "720p".to_owned(),
        first: 0,
        init: std::fs::read(dir.join("init.mp4")).expect("an init segment"),
        segments: segments.collect::<Result<_, _>>().expect("three segments"),
    }
}

fn plan(kind: TrackKind, tolerance_us: u64) -> Expectation {
    Expectation {
        first_segment: 0,
        boundaries_us: Arc::from([0, 6_000_000, 12_000_000, 18_000_000]),
        kind,
        tolerance_us,
        ..expectation()
    }
}

#[test]
fn h264_from_ffmpeg_is_accepted() {
    let dir = tempfile::tempdir().expect("a directory");
    let part = encode(
        dir.path(),
        &[
            "testsrc2=size=320x180:rate=25:duration=18",
            "-c:v",
            "libx264",
            "-preset",
            "ultrafast",
            "-bf",
            "2",
            "-pix_fmt",
            "yuv420p",
            "-g",
            "150",
            "-force_key_frames",
            "expr:gte(t,n_forced*6)",
        ],
    );
    let delivery = deliver(&part.build(), &PartLimits::default(), &plan(TrackKind::Video, 1_000));
    let verified = delivery.result.expect("ffmpeg writes valid CMAF");
    assert_eq!((verified.init.width, verified.init.height), (320, 180));
    assert!(verified.init.codecs.starts_with("avc1."), "{}", verified.init.codecs);
    assert_eq!(verified.segments.iter().map(|s| s.sample_count).sum::<u32>(), 18 * 25);
}

#[test]
fn aac_from_ffmpeg_is_accepted() {
    let dir = tempfile::tempdir().expect("a directory");
    let part = encode(
        dir.path(),
        &["sine=frequency=440:sample_rate=48000:duration=18", "-c:a", "aac", "-b:a", "128k", "-ac", "2"],
    );
    // One AAC frame is 21 ms and a segment ends with a whole one.
    let delivery = deliver(&part.build(), &PartLimits::default(), &plan(TrackKind::Audio, 45_000));
    let verified = delivery.result.expect("ffmpeg writes valid CMAF");
    assert_eq!(verified.init.codecs, "mp4a.40.2");
    assert_eq!((verified.init.timescale, verified.init.channels), (48_000, 2));
}

#[test]
fn hevc_and_av1_from_ffmpeg_are_accepted_with_their_codec_strings() {
    let hevc: &[&str] = &[
        "-c:v",
        "libx265",
        "-preset",
        "ultrafast",
        "-tag:v",
        "hvc1",
        "-x265-params",
        "log-level=error:open-gop=0",
    ];
    let av1: &[&str] = &["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"];
    for (coding, codecs) in [(hevc, "hvc1.1.6.L"), (av1, "av01.0.00M.08")] {
        let dir = tempfile::tempdir().expect("a directory");
        let source = ["testsrc2=size=128x72:rate=5:duration=18", "-pix_fmt", "yuv420p"];
        let frames = ["-g", "30", "-keyint_min", "30", "-force_key_frames", "expr:gte(t,n_forced*6)"];
        let part = encode(dir.path(), &[&source, coding, &frames].concat());
        let delivery = deliver(&part.build(), &PartLimits::default(), &plan(TrackKind::Video, 1_000));
        let verified = delivery.result.expect("ffmpeg writes valid CMAF");
        assert!(verified.init.codecs.starts_with(codecs), "{}", verified.init.codecs);
    }
}
