//! One encoder of pictures: how it is set up, and what comes out of it.

use std::sync::Arc;

use ffmpeg_next::codec::{self, Context, encoder, packet, threading};
use ffmpeg_next::error::{EINVAL, ENOSYS};
use ffmpeg_next::util::color;
use ffmpeg_next::util::picture;
use ffmpeg_next::{Codec, Dictionary, Error, Packet, Rational, frame};
use framefarm_shared::gpu::GpuKind;
use framefarm_shared::ladder::{PlannedQuality, VideoCodec};

use super::colors::Colors;
use super::encoder_input::EncoderInput;
use super::failure::{Failure, Result};
use super::ff;
use super::hardware::{self, Aim, Hardware};
use super::nal;
use super::parameter_sets::ParameterSets;
use super::protocol::GpuStage;
use super::segment::Sample;
use super::time::TICK_BASE;

/// The distance that an encoder may let its rate stray over, in seconds of the cap.
pub(super) const BUFFER_SECONDS: u32 = 2;
/// No keyframe but those that are asked for, and those at cuts.
pub(super) const NO_GOP: u32 = 1 << 20;

/// What the encoder of a quality is opened with, every time alike: equal settings make equal init segments.
#[derive(Clone, Debug)]
pub(super) struct VideoSettings {
    pub(super) quality: PlannedQuality,
    pub(super) preset: String,
    pub(super) threads: u32,
    pub(super) rate: Rational,
    pub(super) colors: Colors,
    /// The GPU that codes it; none if software does.
    pub(super) hardware: Option<Arc<Hardware>>,
}

pub(super) struct VideoEncoder {
    codec: VideoCodec,
    encoder: encoder::video::Encoder,
    encoder_input: EncoderInput,
    /// What is put before every picture that can be begun with.
    parameter_sets: Option<ParameterSets>,
    name: Arc<str>,
    by_gpu: bool,
}

impl VideoEncoder {
    /// For pictures like this one.
    pub(super) fn open(settings: &VideoSettings, picture: &frame::Video) -> Result<Self> {
        let quality = &settings.quality;
        let library = settings.library();
        let hardware = settings.hardware.as_deref();
        drop(ff::said());
        let failed = |error: Error| {
            let what = format!("{library} for {}", quality.name);
            match hardware {
                Some(_) => Failure::gpu(GpuStage::Open, &what, error),
                None => Failure::encoder(&what, error),
            }
        };
        let found = encoder::find_by_name(&library).ok_or_else(|| failed(Error::EncoderNotFound))?;
        let encoder_input =
            EncoderInput::new(hardware, picture, (quality.width, quality.height)).map_err(failed)?;
        let encoder = match hardware {
            None => {
                settings.prepared(found, &encoder_input).and_then(|video| video.open_with(options(settings)))
            }
            Some(hardware) => open_on(hardware, settings, found, &encoder_input),
        };
        let (codec, name) = (quality.codec, quality.name.as_str().into());
        let encoder = encoder.map_err(failed)?;
        let mut opened =
            Self { codec, encoder, encoder_input, parameter_sets: None, name, by_gpu: hardware.is_some() };
        // A picture of AV1 that can be begun with has its header with it; most encoders see to that themselves.
        if codec == VideoCodec::Av1 {
            opened.repeat_sets()?;
        }
        Ok(opened)
    }

    /// From now on every picture that can be begun with brings its parameter sets.
    pub(super) fn repeat_sets(&mut self) -> Result<()> {
        let parameters = ff::parameters_of(&self.encoder).map_err(|error| self.failed(error))?;
        self.parameter_sets = Some(ParameterSets::new(self.codec, ff::extradata(&parameters)));
        Ok(())
    }

    /// Whether it can go on with this picture, or another one has to be opened.
    pub(super) fn suits(&self, picture: &frame::Video) -> bool {
        self.encoder_input.suits(picture)
    }

    pub(super) fn init_segment(&self) -> Result<Vec<u8>> {
        let parameters = ff::parameters_of(&self.encoder).map_err(|error| self.failed(error))?;
        ff::init_segment(&parameters, TICK_BASE.1).map_err(|error| self.failed(error))
    }

    /// Whether a boundary is best made by a new encoder: SVT-AV1 does not promise to heed a forced keyframe.
    pub(super) fn one_segment_each(settings: &VideoSettings) -> bool {
        settings.quality.codec == VideoCodec::Av1 && settings.hardware.is_none()
    }

    /// Codes a frame at `pts` ticks; `boundary` makes it an IDR frame.
    pub(super) fn push(
        &mut self,
        picture: &frame::Video,
        pts: i64,
        boundary: bool,
        out: &mut impl Extend<Sample>,
    ) -> Result<()> {
        let mut fed = self.encoder_input.feed(picture).map_err(|error| self.failed(error))?;
        fed.set_pts(Some(pts));
        fed.set_kind(if boundary { picture::Type::I } else { picture::Type::None });
        self.encoder.send_frame(&fed).map_err(|error| self.failed(error))?;
        self.drain(out)
    }

    pub(super) fn finish(mut self, out: &mut impl Extend<Sample>) -> Result<()> {
        self.encoder.send_eof().map_err(|error| self.failed(error))?;
        self.drain(out)
    }

    fn drain(&mut self, out: &mut impl Extend<Sample>) -> Result<()> {
        let mut packet = Packet::empty();
        loop {
            match self.encoder.receive_packet(&mut packet) {
                Ok(()) => out.extend([self.sample(&packet)?]),
                Err(Error::Eof | Error::Other { errno: ffmpeg_next::error::EAGAIN }) => return Ok(()),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn sample(&self, packet: &Packet) -> Result<Sample> {
        let (Some(pts), Some(bytes)) = (packet.pts(), packet.data()) else {
            return Err(Failure::internal(
                &self.name,
                "the encoder returned a packet without a timestamp or data",
            ));
        };
        let data = match self.codec {
            VideoCodec::H264 | VideoCodec::Hevc => nal::with_lengths(nal::units(bytes), bytes.len()),
            VideoCodec::Av1 => nal::av1_without_delimiters(bytes),
        };
        let key = packet.flags().contains(packet::Flags::KEY);
        let data = match &self.parameter_sets {
            Some(parameter_sets) if key => parameter_sets.put_before(data),
            _ => data,
        };
        Ok(Sample { pts, key, data })
    }

    fn failed(&self, error: Error) -> Failure {
        let what = format!("the encoder for {}", self.name);
        if self.by_gpu {
            return Failure::gpu(GpuStage::Encode, &what, error);
        }
        Failure::encoder(&what, error)
    }
}

/// The best way that this GPU takes. A refusal for want of a session or of memory, or of the GPU, is none of the way.
fn open_on(
    hardware: &Hardware,
    settings: &VideoSettings,
    found: Codec,
    encoder_input: &EncoderInput,
) -> Result<encoder::video::Encoder, Error> {
    let quality = &settings.quality;
    let aim = Aim { codec: quality.codec, preset: &settings.preset, cap_kbps: quality.bitrate_kbps };
    let mut refused = Error::EncoderNotFound;
    for way in hardware::ways(hardware.gpu.kind, aim) {
        let mut video = settings.prepared(found, encoder_input)?;
        encoder_input.prepare(Some(hardware), &mut video)?;
        // Another version of ffmpeg may have other names; what is essential shows in the test encode.
        let unknown = ff::set_options(&mut video, &way)?;
        if !unknown.is_empty() {
            eprintln!(
                "framefarm-worker: options that the encoder of this ffmpeg does not have: {}",
                unknown.join(", ")
            );
        }
        refused = match video.open() {
            Ok(encoder) => return Ok(encoder),
            Err(error @ (Error::Other { errno: ENOSYS | EINVAL } | Error::PatchWelcome)) => error,
            Err(error) => return Err(error),
        };
    }
    Err(refused)
}

/// The encoder of a codec, on a GPU or on the CPU, as ffmpeg calls it.
pub(super) fn library(gpu: Option<GpuKind>, codec: VideoCodec) -> String {
    match (gpu, codec) {
        (Some(gpu), codec) => hardware::name(gpu, codec),
        (None, VideoCodec::H264) => "libx264".to_owned(),
        (None, VideoCodec::Hevc) => "libx265".to_owned(),
        (None, VideoCodec::Av1) => "libsvtav1".to_owned(),
    }
}

impl VideoSettings {
    /// The encoder as ffmpeg calls it.
    pub(super) fn library(&self) -> String {
        library(self.hardware.as_ref().map(|hardware| hardware.gpu.kind), self.quality.codec)
    }

    /// What all encoders are told alike.
    fn prepared(&self, found: Codec, encoder_input: &EncoderInput) -> Result<encoder::video::Video, Error> {
        let mut context = Context::new_with_codec(found);
        if self.hardware.is_none() {
            context.set_threading(threading::Config {
                kind: threading::Type::Frame,
                count: self.threads as usize,
                ..threading::Config::default()
            });
        }
        let mut video = context.encoder().video()?;
        video.set_width(self.quality.width);
        video.set_height(self.quality.height);
        video.set_format(encoder_input.format());
        video.set_time_base(TICK_BASE);
        video.set_frame_rate(Some(self.rate));
        video.set_aspect_ratio(Rational(1, 1));
        video.set_gop(NO_GOP);
        video.set_color_range(color::Range::MPEG);
        video.set_color_primaries(self.colors.primaries);
        video.set_color_transfer_characteristic(self.colors.transfer);
        video.set_colorspace(self.colors.space);
        video.set_flags(codec::Flags::GLOBAL_HEADER | codec::Flags::CLOSED_GOP);
        Ok(video)
    }
}

/// The constant quality that is aimed at, as the codec's own encoder counts it.
pub(super) fn quality(codec: VideoCodec) -> u32 {
    match codec {
        VideoCodec::H264 => 23,
        VideoCodec::Hevc => 26,
        VideoCodec::Av1 => 35,
    }
}

/// Constant quality under a cap, so that parts of one video that are made apart look alike.
fn options(settings: &VideoSettings) -> Dictionary<'static> {
    let mut options = Dictionary::new();
    let cap = settings.quality.bitrate_kbps;
    let threads = settings.threads;
    options.set("crf", &quality(settings.quality.codec).to_string());
    match settings.quality.codec {
        VideoCodec::H264 => {
            options.set("preset", &settings.preset);
            options.set("forced-idr", "1");
        }
        VideoCodec::Hevc => {
            options.set("preset", &settings.preset);
            options.set("forced-idr", "1");
            let more = format!("log-level=error:pools={threads}:keyint={NO_GOP}:min-keyint=1:open-gop=0");
            options.set("x265-params", &more);
        }
        VideoCodec::Av1 => {
            options.set("preset", svt_preset(&settings.preset));
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
