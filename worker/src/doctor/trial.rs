//! A real test encode. This is the child's half: it calls ffmpeg, so it runs in a process of its own, inside the
//! sandbox, where a crash is only an answer.

use ffmpeg_next::codec::Context;
use ffmpeg_next::format::sample::Type::Planar;
use ffmpeg_next::format::{Pixel, Sample};
use ffmpeg_next::{ChannelLayout, Codec, Error, Packet, encoder, frame};
use serde::{Deserialize, Serialize};

use crate::encoder::gpu_trial::{Ability, codec_of, try_encoder};
use crate::encoder::protocol::GpuDevice;

/// Hardware encoders refuse pictures that are much smaller.
const WIDTH: u32 = 320;
const HEIGHT: u32 = 192;
const FRAMES: i64 = 8;
const SAMPLES_A_SECOND: i32 = 48_000;
const NOT_THERE: &str = "this build of ffmpeg does not have it";

/// What the child says. Names as on the pipe of an encoder, which never change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// `libavcodec 59.37.100` and so on.
    pub libraries: Vec<String>,
    /// Why it does not work; what ffmpeg says about it is on stderr.
    #[serde(rename = "trouble")]
    pub error: Option<String>,
    /// There is no such encoder in this build of ffmpeg.
    #[serde(default)]
    pub is_missing: bool,
    /// What it did on a GPU that was named.
    #[serde(default, rename = "card", skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Ability>,
}

pub fn answer(name: &str) -> Answer {
    let is_missing = encoder::find_by_name(name).is_none();
    Answer { libraries: libraries(), error: encode(name).err(), is_missing, gpu: None }
}

/// The answer of an encoder on one GPU.
pub fn answer_on(gpu: &GpuDevice, name: &str, most_sessions: u32) -> Answer {
    let tried = match (codec_of(gpu.kind, name), encoder::find_by_name(name)) {
        (None, _) => Err(format!("{} GPUs have no such encoder", gpu.kind)),
        (_, None) => Err(NOT_THERE.to_owned()),
        (Some(codec), Some(_)) => try_encoder(gpu, codec, most_sessions),
    };
    let (libraries, is_missing) = (libraries(), encoder::find_by_name(name).is_none());
    match tried {
        Ok(ability) => Answer { libraries, error: None, is_missing, gpu: Some(ability) },
        Err(error) => Answer { libraries, error: Some(error), is_missing, gpu: None },
    }
}

fn libraries() -> Vec<String> {
    let versions = [
        ("libavcodec", ffmpeg_next::codec::version()),
        ("libavformat", ffmpeg_next::format::version()),
        ("libavutil", ffmpeg_next::util::version()),
    ];
    versions.map(|(name, version)| format!("{name} {}", dotted(version))).into()
}

fn dotted(version: u32) -> String {
    format!("{}.{}.{}", version >> 16, version >> 8 & 0xFF, version & 0xFF)
}

/// Encodes a few frames with the encoder of this name; `Ok` means that packets came out.
fn encode(name: &str) -> Result<(), String> {
    ffmpeg_next::init().map_err(in_words)?;
    let codec = encoder::find_by_name(name).ok_or(NOT_THERE)?;
    let packets = if codec.is_audio() { encode_audio(codec) } else { encode_video(codec) };
    match packets.map_err(in_words)? {
        0 => Err("the encoder took the frames and returned no packets".to_owned()),
        _ => Ok(()),
    }
}

fn in_words(error: Error) -> String {
    error.to_string()
}

fn encode_video(codec: Codec) -> Result<usize, Error> {
    let format = picture_format(codec);
    let mut video = Context::new_with_codec(codec).encoder().video()?;
    video.set_width(WIDTH);
    video.set_height(HEIGHT);
    video.set_format(format);
    video.set_time_base((1, 25));
    video.set_frame_rate(Some((25, 1)));
    let mut video = video.open()?;
    let mut packets = 0;
    for number in 0..FRAMES {
        let mut picture = frame::Video::new(format, WIDTH, HEIGHT);
        for plane in 0..picture.planes() {
            picture.data_mut(plane).fill(128);
        }
        picture.set_pts(Some(number));
        video.send_frame(&picture)?;
        packets += receive(&mut video);
    }
    video.send_eof()?;
    Ok(packets + receive(&mut video))
}

/// What we can fill, if the encoder takes it. One that takes only pictures in a GPU's memory then says so itself.
fn picture_format(codec: Codec) -> Pixel {
    let mut known = codec.video().ok().and_then(|video| video.formats()).into_iter().flatten();
    let first = known.next().unwrap_or(Pixel::YUV420P);
    let fillable = |format: &Pixel| matches!(format, Pixel::YUV420P | Pixel::NV12);
    if fillable(&first) { first } else { known.find(fillable).unwrap_or(first) }
}

fn encode_audio(codec: Codec) -> Result<usize, Error> {
    let (format, layout) = (Sample::F32(Planar), ChannelLayout::STEREO);
    let mut audio = Context::new_with_codec(codec).encoder().audio()?;
    audio.set_rate(SAMPLES_A_SECOND);
    audio.set_format(format);
    audio.set_channel_layout(layout);
    audio.set_time_base((1, SAMPLES_A_SECOND));
    let mut audio = audio.open()?;
    let samples = audio.frame_size().max(1);
    let mut packets = 0;
    for number in 0..FRAMES {
        let mut sound = frame::Audio::new(format, usize::try_from(samples).unwrap_or(1024), layout);
        for plane in 0..sound.planes() {
            sound.plane_mut::<f32>(plane).fill(0.0);
        }
        sound.set_rate(SAMPLES_A_SECOND.unsigned_abs());
        sound.set_pts(Some(number * i64::from(samples)));
        audio.send_frame(&sound)?;
        packets += receive(&mut audio);
    }
    audio.send_eof()?;
    Ok(packets + receive(&mut audio))
}

fn receive(encoder: &mut encoder::Encoder) -> usize {
    let mut packet = Packet::empty();
    std::iter::from_fn(|| encoder.receive_packet(&mut packet).ok()).count()
}
