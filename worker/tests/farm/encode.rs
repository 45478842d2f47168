//! The ffmpeg program in place of the encoder.

use std::path::{Path, PathBuf};

use framefarm_shared::ladder::{MediaKind, PlannedQuality};
use framefarm_shared::plan::Plan;
use framefarm_worker::child::{Child, LockLostBehavior, Outcome};
use framefarm_worker::part::PartFiles;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// 14 seconds of picture, sound and one line of text, large enough for two rungs.
pub(crate) async fn clip(directory: &Path) -> PathBuf {
    let (path, words) = (directory.join("clip.mp4"), directory.join("words.srt"));
    std::fs::write(&words, "1\n00:00:02,000 --> 00:00:04,000\nGuten Tag\n").unwrap();
    let mut command = ffmpeg();
    command.args(["-f", "lavfi", "-i", "testsrc2=size=854x480:rate=25:duration=14"]);
    command.args(["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=14"]);
    command.arg("-i").arg(words).args(["-c:s", "mov_text", "-metadata:s:s:0", "language=ger"]);
    command
        .args(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"])
        .arg(&path);
    run(command, &CancellationToken::new()).await;
    path
}

/// Picture and sound as long as wanted; quick to make, slow to encode again.
pub(crate) async fn long_clip(directory: &Path, size: &str, rate: u32, seconds: u32) -> PathBuf {
    let path = directory.join("clip.mp4");
    let mut command = ffmpeg();
    command.args(["-f", "lavfi", "-i", &format!("testsrc2=size={size}:rate={rate}:duration={seconds}")]);
    command.args(["-f", "lavfi", "-i", &format!("sine=frequency=440:sample_rate=48000:duration={seconds}")]);
    command.args(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"]);
    command.arg(&path);
    run(command, &CancellationToken::new()).await;
    path
}

/// Three seconds of sound in the container of this name, with a picture in this codec attached if there is one.
pub(crate) async fn song(directory: &Path, name: &str, cover: Option<&str>) -> PathBuf {
    let path = directory.join(name);
    let mut command = ffmpeg();
    command.args(["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=3"]);
    if let Some(codec) = cover {
        command.args([
            "-f",
            "lavfi",
            "-i",
            "color=red:size=64x64:rate=1:duration=1",
            "-map",
            "0",
            "-map",
            "1",
        ]);
        command.args(["-c:v", codec, "-frames:v", "1", "-disposition:v", "attached_pic"]);
    }
    command.arg(&path);
    run(command, &CancellationToken::new()).await;
    path
}

/// Encodes one quality into a segment for each planned one.
pub(crate) async fn encode(
    source: &Path,
    directory: &Path,
    plan: &Plan,
    quality: &PlannedQuality,
    lost: &CancellationToken,
) -> PartFiles {
    std::fs::create_dir_all(directory).unwrap();
    let mut command = ffmpeg();
    command.current_dir(directory).arg("-i").arg(source).arg("-sn");
    match quality.kind {
        MediaKind::Video => video(&mut command, plan, quality),
        MediaKind::Audio => audio(&mut command, quality),
    }
    command.args(["-f", "hls", "-hls_segment_type", "fmp4", "-hls_playlist_type", "vod"]);
    command.args(["-hls_segment_filename", "%d.m4s", "list.m3u8"]);
    run(command, lost).await;
    let segments = (0..plan.segment_count()).map(|index| directory.join(format!("{index}.m4s"))).collect();
    let (quality, init) = (quality.name.clone(), directory.join("init.mp4"));
    PartFiles { quality, first_segment: 0, init, segments }
}

/// The first frame as `poster.jpg`.
pub(crate) async fn poster(source: &Path, directory: &Path) -> PathBuf {
    let path = directory.join("poster.jpg");
    let mut command = ffmpeg();
    command.arg("-i").arg(source).args(["-frames:v", "1", "-update", "1"]).arg(&path);
    run(command, &CancellationToken::new()).await;
    path
}

/// The first text track as WebVTT.
pub(crate) async fn subtitle(source: &Path, directory: &Path) -> PathBuf {
    let path = directory.join("0.vtt");
    let mut command = ffmpeg();
    command.arg("-i").arg(source).args(["-map", "0:s:0"]).arg(&path);
    run(command, &CancellationToken::new()).await;
    path
}

/// Keyframes stand at the boundaries and nowhere else, and the muxer cuts at each.
fn video(command: &mut Command, plan: &Plan, quality: &PlannedQuality) {
    let starts = &plan.boundaries_us[..plan.boundaries_us.len() - 1];
    let times: Vec<_> = starts.iter().map(|us| format!("{us}us")).collect();
    let PlannedQuality { width, height, bitrate_kbps, .. } = quality;
    command.args(["-map", "0:v:0", "-vf", &format!("scale={width}:{height},setsar=1")]);
    command.args([
        "-c:v",
        "libx264",
        "-preset",
        "ultrafast",
        "-crf",
        "26",
        "-pix_fmt",
        "yuv420p",
        "-bf",
        "2",
    ]);
    command.args(["-maxrate", &format!("{bitrate_kbps}k"), "-bufsize", &format!("{}k", 2 * bitrate_kbps)]);
    command.args(["-g", "100000", "-sc_threshold", "0", "-force_key_frames", &times.join(",")]);
    command.args(["-hls_time", "1"]);
}

fn audio(command: &mut Command, quality: &PlannedQuality) {
    command.args(["-map", "0:a:0", "-c:a", "aac", "-ac", "2", "-b:a", &format!("{}k", quality.bitrate_kbps)]);
    command.args(["-hls_time", "6"]);
}

fn ffmpeg() -> Command {
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-v", "error"]);
    command
}

async fn run(command: Command, lost: &CancellationToken) {
    let outcome = Child::spawn(command).unwrap().run(lost, LockLostBehavior::Sigkill).await.unwrap();
    let Outcome::Finished(ended) = outcome else { panic!("the claim was lost") };
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr_tail));
}
