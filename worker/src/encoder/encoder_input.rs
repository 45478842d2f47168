//! How pictures reach an encoder: as they are, in another order of bytes, or uploaded to its GPU.

use ffmpeg_next::codec::Context;
use ffmpeg_next::format::Pixel;
use ffmpeg_next::{Error, frame};
use framefarm_shared::gpu::GpuKind;

use super::ff;
use super::gpu_scaler::is_on_gpu;
use super::hardware::Hardware;
use super::scaler::Scaler;

pub(super) enum EncoderInput {
    /// From memory; a picture on a GPU is fetched first.
    Memory(Scaler),
    /// Into the memory of a GPU.
    Upload(Scaler, ff::Frames),
    /// It is on the GPU already.
    OnGpu(ff::Frames),
}

impl EncoderInput {
    /// For pictures like this one.
    pub(super) fn new(
        hardware: Option<&Hardware>,
        picture: &frame::Video,
        size: (u32, u32),
    ) -> Result<Self, Error> {
        let memory = |format| Self::Memory(Scaler::new(size, format));
        Ok(match hardware.map(|hardware| (hardware.gpu.kind, hardware)) {
            Some((GpuKind::Nvenc, _)) if is_on_gpu(picture) => Self::OnGpu(ff::Frames::of(picture)?),
            None | Some((GpuKind::Nvenc, _)) => memory(Pixel::YUV420P),
            Some((GpuKind::Qsv, _)) => memory(Pixel::NV12),
            Some((GpuKind::Vaapi, hardware)) => {
                Self::Upload(Scaler::new(size, Pixel::NV12), ff::Frames::new(&hardware.device, size)?)
            }
        })
    }

    /// What the encoder is told to expect.
    pub(super) fn format(&self) -> Pixel {
        match self {
            Self::Memory(scaler) => scaler.format(),
            Self::Upload(..) => Pixel::VAAPI,
            Self::OnGpu(_) => Pixel::CUDA,
        }
    }

    /// Lets an encoder that is not open yet have what it needs of the GPU.
    pub(super) fn prepare(&self, hardware: Option<&Hardware>, context: &mut Context) -> Result<(), Error> {
        match (self, hardware) {
            (Self::Upload(_, frames) | Self::OnGpu(frames), _) => frames.give_to(context),
            (Self::Memory(_), Some(hardware)) => hardware.device.give_to(context),
            (Self::Memory(_), None) => Ok(()),
        }
    }

    /// Whether an encoder that is fed so can go on with this picture.
    pub(super) fn suits(&self, picture: &frame::Video) -> bool {
        match self {
            Self::Memory(_) => true,
            Self::Upload(..) => !is_on_gpu(picture),
            Self::OnGpu(_) => is_on_gpu(picture),
        }
    }

    pub(super) fn feed(&mut self, picture: &frame::Video) -> Result<frame::Video, Error> {
        match self {
            Self::Memory(scaler) if is_on_gpu(picture) => scaler.run(&ff::download(picture)?),
            Self::Memory(scaler) => scaler.run(picture),
            Self::Upload(scaler, frames) => frames.upload(&scaler.run(picture)?),
            Self::OnGpu(_) => ff::share(picture),
        }
    }
}
