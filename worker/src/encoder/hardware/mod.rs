//! The encoders of GPUs: which one codes a quality, and how it is set up.
//!
//! All of them aim at what the software encoders aim at: constant quality under a cap, no keyframes but those at
//! boundaries, and closed groups of pictures, so that segments that were made apart fit together. `docs/gpu.md` tells
//! how the numbers were chosen.

mod nvenc;
mod qsv;
mod vaapi;

#[cfg(test)]
mod tests;

use framefarm_shared::gpu::GpuKind;
use framefarm_shared::ladder::VideoCodec;

use super::failure::{Failure, Result};
use super::ff;
use super::protocol::{GpuDevice, GpuStage};
use super::video_encoder::BUFFER_SECONDS;

/// Names and values as ffmpeg knows them.
pub(super) type Options = Vec<(&'static str, String)>;

/// The GPU of a task, opened; all encoders of the task share it, since each context on a GPU costs it memory.
#[derive(Debug)]
pub(super) struct Hardware {
    pub(super) gpu: GpuDevice,
    pub(super) device: ff::Device,
}

impl Hardware {
    pub(super) fn open(gpu: &GpuDevice) -> Result<Self> {
        drop(ff::said());
        let device = ff::Device::open(gpu.kind, &node(&gpu.id))
            .map_err(|error| Failure::gpu(GpuStage::Device, &format!("cannot open GPU {}", gpu.id), error))?;
        Ok(Self { gpu: gpu.clone(), device })
    }
}

/// A render node is known by its name too.
fn node(id: &str) -> String {
    if id.contains('/') { id.to_owned() } else { format!("/dev/dri/{id}") }
}

/// What an encoder is to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim<'a> {
    pub(super) codec: VideoCodec,
    /// x264's word for speed against size.
    pub(super) preset: &'a str,
    pub(super) cap_kbps: u32,
}

/// As ffmpeg calls it: `h264_nvenc`.
pub(super) fn name(kind: GpuKind, codec: VideoCodec) -> String {
    format!("{codec}_{kind}")
}

/// How to set it up, the best way first. GPUs differ in what they can do, and say so when they are asked.
pub(super) fn ways(kind: GpuKind, aim: Aim<'_>) -> Vec<Options> {
    match kind {
        GpuKind::Nvenc => nvenc::ways(aim),
        GpuKind::Qsv => qsv::ways(aim),
        GpuKind::Vaapi => vaapi::ways(aim),
    }
}

impl Aim<'_> {
    /// The cap, as all encoders know it.
    fn cap(&self) -> Options {
        let (cap, buffer) = (self.cap_kbps, self.cap_kbps.saturating_mul(BUFFER_SECONDS));
        vec![("maxrate", format!("{cap}k")), ("bufsize", format!("{buffer}k"))]
    }

    /// Intel's quality goes from 1 to 51 for every codec, AV1's own from 1 to 63.
    fn quality_of_51(&self) -> u32 {
        let quality = super::video_encoder::quality(self.codec);
        if self.codec == VideoCodec::Av1 { quality * 51 / 63 } else { quality }
    }

    /// What these encoders call the rate on average. It must be below the cap, or they take both for a constant rate.
    fn usual_rate(&self) -> String {
        format!("{}k", (self.cap_kbps.saturating_mul(4) / 5).max(1))
    }
}

/// What every player of the codec shows.
fn profile(codec: VideoCodec) -> &'static str {
    match codec {
        VideoCodec::H264 => "high",
        VideoCodec::Hevc | VideoCodec::Av1 => "main",
    }
}
