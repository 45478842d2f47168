//! A clip to test with, made from nothing.

use std::path::Path;

use ffmpeg_next::{Rational, frame};
use framefarm_shared::ladder::{MediaKind, PlannedQuality, VideoCodec};

use super::colors::Colors;
use super::failure::{Failure, Result};
use super::gpu_trial::moving;
use super::segment;
use super::time::TICKS;
use super::video_encoder::{VideoEncoder, VideoSettings};

pub(crate) const FRAMES: u32 = 500;
const RATE: i64 = 25;
const SIZE: (u32, u32) = (640, 360);

/// Twenty seconds of H.264, as one file.
pub(crate) fn write(path: &Path) -> Result<(), String> {
    let bytes = bytes().map_err(|failure| failure.message)?;
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn bytes() -> Result<Vec<u8>> {
    ffmpeg_next::init().map_err(|error| Failure::internal("ffmpeg", error))?;
    let settings = settings();
    let pictures: Vec<frame::Video> = (0..100).map(|number| moving(SIZE, number)).collect();
    let mut encoder = VideoEncoder::open(&settings, &pictures[0])?;
    let (mut file, mut samples) = (encoder.init_segment()?, Vec::new());
    let at = |number: u32| i64::from(number) * TICKS / RATE;
    for (number, picture) in (0..FRAMES).zip(pictures.iter().cycle()) {
        encoder.push(picture, at(number), number == 0, &mut samples)?;
    }
    encoder.finish(&mut samples)?;
    let written = segment::write(0, 0..at(FRAMES), &samples);
    file.extend(written.map_err(|error| Failure::internal("the clip", error))?);
    Ok(file)
}

fn settings() -> VideoSettings {
    let quality = PlannedQuality {
        name: "clip".to_owned(),
        kind: MediaKind::Video,
        width: SIZE.0,
        height: SIZE.1,
        bitrate_kbps: 3_000,
        codec: VideoCodec::H264,
        skipped: false,
    };
    VideoSettings {
        quality,
        preset: "veryfast".to_owned(),
        threads: 2,
        rate: Rational(25, 1),
        colors: Colors::BT709,
        hardware: None,
    }
}
