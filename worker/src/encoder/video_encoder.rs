//! One encoder of pictures: how it is set up, and what comes out of it.

use std::sync::Arc;

use ffmpeg_next::codec::{self, Context, encoder, packet, threading};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::util::color;
use ffmpeg_next::util::picture;
use ffmpeg_next::{Dictionary, Error, Packet, Rational, frame};
use framefarm_shared::ladder::{PlannedQuality, VideoCodec};

use super::failure::{Failure, Result};
use super::ff;
use super::nal;
use super::segment::Sample;
use super::time::TICK_BASE;

/// The distance that x264 may let its rate stray over, in seconds of the cap.
const BUFFER_SECONDS: u32 = 2;
/// No keyframe but those that are asked for, and those at cuts.
const NO_GOP: u32 = 1 << 20;

/// What the encoder of a quality is opened with, every time alike: equal settings make equal init segments.
#[derive(Clone, Debug)]
pub(super) struct VideoSettings {
    pub(super) quality: PlannedQuality,
    pub(super) preset: String,
    pub(super) threads: u32,
    pub(super) rate: Rational,
    pub(super) colors: Colors,
}

/// How the numbers of a picture mean colours; written into the stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Colors {
    pub(super) primaries: color::Primaries,
    pub(super) transfer: color::TransferCharacteristic,
    pub(super) space: color::Space,
}

impl Colors {
    pub(super) const BT709: Self = Self {
        primaries: color::Primaries::BT709,
        transfer: color::TransferCharacteristic::BT709,
        space: color::Space::BT709,
    };
}

pub(super) struct VideoEncoder {
    codec: VideoCodec,
    encoder: encoder::video::Encoder,
    name: Arc<str>,
}

impl VideoEncoder {
    pub(super) fn open(settings: &VideoSettings) -> Result<Self> {
        let quality = &settings.quality;
        let failed = |error: Error| {
            Failure::encoder(&format!("{} of {}", library(quality.codec), quality.name), error)
        };
        let found = encoder::find_by_name(library(quality.codec));
        let found = found.ok_or_else(|| failed(Error::EncoderNotFound))?;
        let mut context = Context::new_with_codec(found);
        context.set_threading(threading::Config {
            kind: threading::Type::Frame,
            count: settings.threads as usize,
            ..threading::Config::default()
        });
        let mut video = context.encoder().video().map_err(failed)?;
        video.set_width(quality.width);
        video.set_height(quality.height);
        video.set_format(Pixel::YUV420P);
        video.set_time_base(TICK_BASE);
        video.set_frame_rate(Some(settings.rate));
        video.set_aspect_ratio(Rational(1, 1));
        video.set_gop(NO_GOP);
        video.set_color_range(color::Range::MPEG);
        video.set_color_primaries(settings.colors.primaries);
        video.set_color_transfer_characteristic(settings.colors.transfer);
        video.set_colorspace(settings.colors.space);
        video.set_flags(codec::Flags::GLOBAL_HEADER | codec::Flags::CLOSED_GOP);
        let encoder = video.open_with(options(settings)).map_err(failed)?;
        Ok(Self { codec: quality.codec, encoder, name: quality.name.as_str().into() })
    }

    pub(super) fn init_segment(&self) -> Result<Vec<u8>> {
        let parameters = ff::parameters_of(&self.encoder).map_err(|error| self.failed(error))?;
        ff::init_segment(&parameters, TICK_BASE.1).map_err(|error| self.failed(error))
    }

    /// Whether a boundary is best made by a new encoder: SVT-AV1 does not promise to heed a forced keyframe.
    pub(super) fn one_segment_each(codec: VideoCodec) -> bool {
        codec == VideoCodec::Av1
    }

    /// Codes a frame at `pts` ticks; `boundary` makes it an IDR frame.
    pub(super) fn push(
        &mut self,
        picture: &mut frame::Video,
        pts: i64,
        boundary: bool,
        out: &mut Vec<Sample>,
    ) -> Result<()> {
        picture.set_pts(Some(pts));
        picture.set_kind(if boundary { picture::Type::I } else { picture::Type::None });
        self.encoder.send_frame(picture).map_err(|error| self.failed(error))?;
        self.drain(out)
    }

    pub(super) fn finish(mut self, out: &mut Vec<Sample>) -> Result<()> {
        self.encoder.send_eof().map_err(|error| self.failed(error))?;
        self.drain(out)
    }

    fn drain(&mut self, out: &mut Vec<Sample>) -> Result<()> {
        let mut packet = Packet::empty();
        loop {
            match self.encoder.receive_packet(&mut packet) {
                Ok(()) => out.push(self.sample(&packet)?),
                Err(Error::Eof | Error::Other { errno: ffmpeg_next::error::EAGAIN }) => return Ok(()),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn sample(&self, packet: &Packet) -> Result<Sample> {
        let (Some(pts), Some(bytes)) = (packet.pts(), packet.data()) else {
            return Err(Failure::internal(&self.name, "the encoder gave a packet without time or bytes"));
        };
        let data = match self.codec {
            VideoCodec::H264 | VideoCodec::Hevc => nal::with_lengths(nal::units(bytes), bytes.len()),
            VideoCodec::Av1 => nal::av1_without_delimiters(bytes),
        };
        Ok(Sample { pts, key: packet.flags().contains(packet::Flags::KEY), data })
    }

    fn failed(&self, error: Error) -> Failure {
        Failure::encoder(&format!("the encoder of {}", self.name), error)
    }
}

pub(super) fn library(codec: VideoCodec) -> &'static str {
    match codec {
        VideoCodec::H264 => "libx264",
        VideoCodec::Hevc => "libx265",
        VideoCodec::Av1 => "libsvtav1",
    }
}

/// Constant quality under a cap, so that parts of one video that are made apart look alike.
fn options(settings: &VideoSettings) -> Dictionary<'static> {
    let mut options = Dictionary::new();
    let cap = settings.quality.bitrate_kbps;
    let threads = settings.threads;
    match settings.quality.codec {
        VideoCodec::H264 => {
            options.set("preset", &settings.preset);
            options.set("crf", "23");
            options.set("forced-idr", "1");
        }
        VideoCodec::Hevc => {
            options.set("preset", &settings.preset);
            options.set("crf", "26");
            options.set("forced-idr", "1");
            let more = format!("log-level=error:pools={threads}:keyint={NO_GOP}:min-keyint=1:open-gop=0");
            options.set("x265-params", &more);
        }
        VideoCodec::Av1 => {
            options.set("preset", svt_preset(&settings.preset));
            options.set("crf", "35");
            options.set("svtav1-params", &format!("lp={threads}:keyint=-1"));
            return options;
        }
    }
    options.set("maxrate", &format!("{cap}k"));
    options.set("bufsize", &format!("{}k", cap * BUFFER_SECONDS));
    options
}

/// The nearest of SVT-AV1's numbers.
fn svt_preset(preset: &str) -> &'static str {
    match preset {
        "placebo" | "veryslow" => "4",
        "slower" | "slow" => "6",
        "medium" => "7",
        "fast" | "faster" => "8",
        "veryfast" => "9",
        _ => "10",
    }
}
