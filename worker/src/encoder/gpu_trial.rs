//! What an encoder of a GPU can do, found out by doing it: with the settings, and on the paths, of real work.

use std::sync::Arc;
use std::time::Instant;

use ffmpeg_next::codec::{self, Context, Id, decoder};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::{Packet, Rational, encoder, frame};
use framefarm_shared::gpu::{GpuKind, SIDES};
use framefarm_shared::ladder::{MediaKind, PlannedQuality, VideoCodec};
use serde::{Deserialize, Serialize};

use super::colors::Colors;
use super::failure::{Failure, Result};
use super::ff;
use super::gpu_scaler::{AnyScaler, is_on_gpu};
use super::hardware::{self, Hardware};
use super::protocol::GpuDevice;
use super::segment::Sample;
use super::time::TICKS;
use super::video_encoder::{VideoEncoder, VideoSettings};

const RATE: i64 = 25;
/// Long enough that opening the session does not count, short enough to be waited for.
const FRAMES: i64 = 60;
/// Generated before the clock runs.
const DISTINCT: i64 = 6;
const MEASURED: (u32, u32) = (1920, 1080);
const SMALL: (u32, u32) = (640, 360);
/// What NVIDIA's library is asked first; it refuses one session too many there, and memory mostly later.
const SESSION_CALL: &str = "OpenEncodeSessionEx";

/// What an encoder of a GPU did. Names as on the pipe of an encoder, which never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ability {
    /// Frames a second of 1080p.
    pub fps: f64,
    /// The largest of [`SIDES`] that it took.
    pub max_side: u32,
    /// Decoded, scaled and encoded without leaving the GPU.
    #[serde(rename = "on_card")]
    pub on_gpu: bool,
    /// Why not.
    #[serde(rename = "not_on_card")]
    pub not_on_gpu: Option<String>,
    pub sessions: Option<Sessions>,
}

/// How many encoders could be open at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    pub opened: u32,
    /// The next one was refused because there were too many, not for another reason.
    pub limited: bool,
    pub refusal: Option<String>,
}

/// `most` is how many sessions to try at once; 0 to leave that out.
pub(crate) fn try_encoder(gpu: &GpuDevice, codec: VideoCodec, most: u32) -> Result<Ability, String> {
    try_all(gpu, codec, most).map_err(|failure| failure.message)
}

/// The codec of an encoder of such a GPU.
pub(crate) fn codec_of(kind: GpuKind, name: &str) -> Option<VideoCodec> {
    VideoCodec::ALL.iter().copied().find(|codec| hardware::name(kind, *codec) == name)
}

fn try_all(gpu: &GpuDevice, codec: VideoCodec, most: u32) -> Result<Ability> {
    ffmpeg_next::init().map_err(|error| Failure::internal("ffmpeg", error))?;
    ffmpeg_next::log::set_level(ffmpeg_next::log::Level::Error);
    ff::remember();
    let hardware = Arc::new(Hardware::open(gpu)?);
    let settings = |size| settings(&hardware, codec, size);
    let fps = measure(&settings(MEASURED))?;
    let fits = |side: &&u32| **side <= MEASURED.0 || one_frame(&settings((**side, **side * 9 / 16))).is_ok();
    let max_side = SIDES.iter().take_while(fits).last().copied().unwrap_or(MEASURED.0);
    let not_on_gpu = match gpu.kind {
        GpuKind::Nvenc => stay_on_gpu(&hardware, &settings((320, 180))).err().map(|why| why.message),
        GpuKind::Qsv | GpuKind::Vaapi => Some("supported on NVIDIA GPUs only".to_owned()),
    };
    let sessions = (most > 0).then(|| count_sessions(&settings(SMALL), most));
    Ok(Ability { fps, max_side, on_gpu: not_on_gpu.is_none(), not_on_gpu, sessions })
}

fn settings(hardware: &Arc<Hardware>, codec: VideoCodec, (width, height): (u32, u32)) -> VideoSettings {
    let quality = PlannedQuality {
        name: format!("{width}x{height}"),
        kind: MediaKind::Video,
        width,
        height,
        bitrate_kbps: 5_000,
        codec,
        skipped: false,
    };
    VideoSettings {
        quality,
        preset: "veryfast".to_owned(),
        threads: 1,
        rate: Rational(25, 1),
        colors: Colors::BT709,
        hardware: Some(Arc::clone(hardware)),
    }
}

fn size_of(settings: &VideoSettings) -> (u32, u32) {
    (settings.quality.width, settings.quality.height)
}

/// Frames a second; also sees to it that boundaries are kept.
fn measure(settings: &VideoSettings) -> Result<f64> {
    let pictures: Vec<_> = (0..DISTINCT).map(|number| moving(size_of(settings), number)).collect();
    let mut encoder = VideoEncoder::open(settings, &pictures[0])?;
    let mut samples = Vec::new();
    let began = Instant::now();
    for (number, picture) in (0..FRAMES).zip(pictures.iter().cycle()) {
        encoder.push(picture, at(number), number % (FRAMES / 2) == 0, &mut samples)?;
    }
    encoder.finish(&mut samples)?;
    let seconds = began.elapsed().as_secs_f64();
    let came = |number: i64| samples.iter().find(|sample: &&Sample| sample.pts == at(number));
    if (0..FRAMES).any(|number| came(number).is_none()) {
        return Err(Failure::internal("the test encode", "the encoder lost frames"));
    }
    if [0, FRAMES / 2].into_iter().any(|number| came(number).is_none_or(|sample| !sample.key)) {
        return Err(Failure::internal("the test encode", "the encoder ignored a forced keyframe"));
    }
    #[expect(clippy::cast_precision_loss, reason = "a few frames")]
    Ok(FRAMES as f64 / seconds.max(1e-6))
}

fn one_frame(settings: &VideoSettings) -> Result<()> {
    let picture = moving(size_of(settings), 0);
    let (mut encoder, mut samples) = (VideoEncoder::open(settings, &picture)?, Vec::new());
    encoder.push(&picture, 0, true, &mut samples)?;
    encoder.finish(&mut samples)?;
    match samples.len() {
        0 => Err(Failure::internal("the test encode", "the encoder returned no packets")),
        _ => Ok(()),
    }
}

/// Whether a small clip goes all the way without a picture that leaves the GPU.
fn stay_on_gpu(hardware: &Hardware, settings: &VideoSettings) -> Result<()> {
    let refused = |why: &str| Failure::internal("the GPU path", why);
    let in_words = |error: ffmpeg_next::Error| Failure::internal("the GPU path", error);
    let codec = decoder::find(Id::H264).filter(|codec| ff::decodes_on_gpu(*codec));
    let codec = codec.ok_or_else(|| refused("this ffmpeg cannot decode on the GPU"))?;
    let mut context = Context::new_with_codec(codec);
    hardware.device.give_to(&mut context).map_err(in_words)?;
    let mut decoder = context.decoder().open_as(codec).and_then(decoder::Opened::video).map_err(in_words)?;
    let mut scaler = AnyScaler::new(size_of(settings));
    let (mut encoder, mut samples, mut count) = (None, Vec::new(), 0);
    for packet in clip().map_err(in_words)?.iter().map(Some).chain([None]) {
        let sent = match packet {
            Some(packet) => decoder.send_packet(packet),
            None => decoder.send_eof(),
        };
        sent.map_err(in_words)?;
        let mut picture = frame::Video::empty();
        while decoder.receive_frame(&mut picture).is_ok() {
            let smaller = scaler.run(&picture)?;
            if !is_on_gpu(&picture) || !is_on_gpu(&smaller) {
                let what = if is_on_gpu(&picture) { "scaled" } else { "decoded" };
                return Err(refused(&format!("frames are not {what} on the GPU: {}", ff::said())));
            }
            let encoder = match &mut encoder {
                Some(encoder) => encoder,
                none => none.insert(VideoEncoder::open(settings, &smaller)?),
            };
            VideoEncoder::push(encoder, &smaller, at(count), count == 0, &mut samples)?;
            count += 1;
        }
    }
    encoder.ok_or_else(|| refused("no frame was decoded"))?.finish(&mut samples)?;
    if samples.is_empty() { Err(refused("the encoder returned no packets")) } else { Ok(()) }
}

/// Some pictures as H.264, by software.
fn clip() -> Result<Vec<Packet>, ffmpeg_next::Error> {
    let found = encoder::find_by_name("libx264").ok_or(ffmpeg_next::Error::EncoderNotFound)?;
    let mut video = Context::new_with_codec(found).encoder().video()?;
    video.set_width(SMALL.0);
    video.set_height(SMALL.1);
    video.set_format(Pixel::YUV420P);
    video.set_time_base((1, 25));
    video.set_flags(codec::Flags::CLOSED_GOP);
    let mut video = video.open()?;
    let mut packets = Vec::new();
    for number in (0..12).map(Some).chain([None]) {
        match number {
            Some(number) => {
                let mut picture = moving(SMALL, number);
                picture.set_pts(Some(number));
                video.send_frame(&picture)?;
            }
            None => video.send_eof()?,
        }
        let mut packet = Packet::empty();
        while video.receive_packet(&mut packet).is_ok() {
            packets.push(std::mem::replace(&mut packet, Packet::empty()));
        }
    }
    Ok(packets)
}

fn count_sessions(settings: &VideoSettings, most: u32) -> Sessions {
    let picture = moving(size_of(settings), 0);
    let mut open = Vec::new();
    let mut refusal = None;
    while open.len() < most as usize && refusal.is_none() {
        match VideoEncoder::open(settings, &picture) {
            Ok(encoder) => open.push(encoder),
            Err(failure) => refusal = Some(failure.message),
        }
    }
    let limited = !open.is_empty() && refusal.as_ref().is_some_and(|words| words.contains(SESSION_CALL));
    Sessions { opened: u32::try_from(open.len()).unwrap_or(most), limited, refusal }
}

fn at(number: i64) -> i64 {
    number * TICKS / RATE
}

/// A picture with something to code in it, elsewhere in every frame.
pub(super) fn moving((width, height): (u32, u32), number: i64) -> frame::Video {
    let mut picture = frame::Video::new(Pixel::YUV420P, width, height);
    let shift = usize::try_from(number * 5).unwrap_or(0);
    #[expect(clippy::cast_possible_truncation, reason = "a pattern that begins anew")]
    let line: Vec<u8> = (0..width as usize + 512).map(|x| ((x * 3) ^ (x / 7 * 11)) as u8 / 2 + 48).collect();
    for plane in 0..picture.planes() {
        let (stride, across) = (picture.stride(plane), picture.plane_width(plane) as usize);
        for (y, row) in picture.data_mut(plane).chunks_mut(stride).enumerate() {
            let from = (shift + y * 2) % 512;
            let across = across.min(row.len());
            row[..across].copy_from_slice(&line[from..from + across]);
        }
    }
    picture
}
