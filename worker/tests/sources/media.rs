//! The ffmpeg and ffprobe programs, which must have nothing to say.

use std::path::Path;
use std::process::Command;

use framefarm_shared::ladder::MediaKind;
use serde_json::Value;

pub(crate) fn ffmpeg() -> Command {
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-v", "error", "-y", "-threads", "1"]);
    command
}

/// What it wrote to stdout; a word on stderr fails the test.
pub(crate) fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
    output.stdout
}

/// A frame as the decoder gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// When it is shown, in the stream's ticks.
    pub(crate) pts: i64,
    /// Of its pixels.
    pub(crate) hash: String,
    pub(crate) is_white: bool,
}

/// What is in a file, decoded.
#[derive(Debug)]
pub(crate) enum Decoded {
    Frames(Vec<Frame>),
    Sound(Vec<f32>),
}

/// Every frame of each file's picture, without one repeated or left out; of a file without a picture its sound.
pub(crate) fn decode(files: &[(&Path, MediaKind)]) -> Vec<Decoded> {
    let mut command = ffmpeg();
    command.args(["-v", "warning", "-copyts"]);
    for (path, _) in files {
        command.arg("-i").arg(path);
    }
    for (input, (path, kind)) in files.iter().enumerate() {
        match kind {
            MediaKind::Video => {
                decode_picture(&mut command, &format!("{input}:v:0"), path);
            }
            MediaKind::Audio => {
                command.args(["-map", &format!("{input}:a:0"), "-ac", "1", "-f", "f32le"]);
                command.arg(path.with_extension("pcm"));
            }
        }
    }
    run(&mut command);
    files.iter().map(|(path, kind)| read(path, *kind)).collect()
}

/// Its frames' times and hashes and whether they are white, for [`read`] to find beside `path`.
pub(crate) fn decode_picture(command: &mut Command, picture: &str, path: &Path) {
    // In the stream's own ticks: in those of its frame rate two frames may share one.
    let every_frame = ["-map", picture, "-fps_mode", "passthrough", "-enc_time_base", "-1"];
    command.args(every_frame).args(["-f", "framemd5"]).arg(path.with_extension("md5"));
    command.args(every_frame).args(["-vf", &gray_filter(SIDE, SIDE)]);
    command.args(["-f", "rawvideo"]).arg(path.with_extension("gray"));
}

/// What a decoder wrote beside `path`.
pub(crate) fn read(path: &Path, kind: MediaKind) -> Decoded {
    if kind == MediaKind::Audio {
        let bytes = std::fs::read(path.with_extension("pcm")).unwrap();
        return Decoded::Sound(
            bytes.as_chunks().0.iter().map(|sample| f32::from_le_bytes(*sample)).collect(),
        );
    }
    let text = std::fs::read_to_string(path.with_extension("md5")).unwrap();
    let small = std::fs::read(path.with_extension("gray")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let frame = |(line, gray): (&str, &[u8])| {
        let fields: Vec<_> = line.split(',').map(str::trim).collect();
        let is_white = gray.iter().all(|luma| *luma > 200);
        Frame { pts: fields[2].parse().unwrap(), hash: fields[5].to_owned(), is_white }
    };
    Decoded::Frames(lines.zip(small.chunks(SIDE * SIDE)).map(frame).collect())
}

/// The brightness of every frame, shrunk to this size. White is 235, as players expect.
pub(crate) fn gray(path: &Path, width: usize, height: usize) -> Vec<u8> {
    let mut command = ffmpeg();
    command.arg("-i").arg(path).args(["-map", "0:v:0", "-fps_mode", "passthrough"]);
    run(command.args(["-vf", &gray_filter(width, height), "-f", "rawvideo", "-"]))
}

fn gray_filter(width: usize, height: usize) -> String {
    format!("scale={width}:{height}:flags=area,format=yuv420p,extractplanes=y")
}

/// Samples a second of decoded sound.
pub(crate) const SAMPLES: usize = 48_000;
/// Of the small pictures that tell whether a frame is white.
const SIDE: usize = 32;

/// How many frames a source has, by ffprobe.
pub(crate) fn count_frames(path: &Path) -> usize {
    let streams = streams(path, &["-count_frames", "-select_streams", "v:0"]);
    streams[0]["nb_read_frames"].as_str().unwrap().parse().unwrap()
}

/// What ffprobe tells of the streams.
pub(crate) fn streams(path: &Path, options: &[&str]) -> Vec<Value> {
    let mut command = Command::new("ffprobe");
    command.args(["-v", "fatal", "-of", "json", "-show_streams"]).args(options).arg(path);
    let told: Value = serde_json::from_slice(&run(&mut command)).unwrap();
    told["streams"].as_array().unwrap().clone()
}
