//! The GPUs of a worker: what they are, what they were seen to do, and their current state.
//!
//! Nothing here comes from a table of GPU names. What a GPU can do is what it did in a test encode.

use serde::{Deserialize, Serialize};

use crate::ladder::VideoCodec;
use crate::text_enum::text_enum;

/// More GPUs than this are not reported.
pub const MAX_GPUS: usize = 16;
/// The most samples of a [`GpuHistory`].
pub const MAX_SAMPLES: usize = 60;
/// The longest name, id or reason of a GPU.
pub const MAX_GPU_TEXT: usize = 200;

text_enum! {
    /// The interface to the encoder of a GPU.
    GpuKind {
        /// NVIDIA.
        Nvenc = "nvenc",
        /// Intel, through its own runtime.
        Qsv = "qsv",
        /// Intel and AMD, through the render node.
        Vaapi = "vaapi",
    }
}

text_enum! {
    /// Whether a GPU accepts jobs.
    GpuState {
        Ready = "ready",
        /// Another program needs it, it is too hot, or outside its schedule.
        Yielding = "yielding",
        /// It failed; a successful probe makes it ready again.
        Quarantined = "quarantined",
        /// The driver no longer reports it.
        Lost = "lost",
        /// None of its encoders passed the test encode.
        Unusable = "unusable",
    }
}

/// A GPU, as reported with a heartbeat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Gpu {
    /// The id of the driver, `GPU-5c2f…`, or the render node of a GPU without one.
    pub id: String,
    pub kind: GpuKind,
    pub name: String,
    pub state: GpuState,
    /// Why it is not ready.
    pub reason: Option<String>,
    /// Encoders that passed a test encode.
    pub encoders: Vec<GpuEncoder>,
    /// Open encoder sessions of this worker.
    pub sessions: u32,
    /// Observed limit of open sessions; absent until one was refused.
    pub session_limit: Option<u32>,
    pub memory_bytes: Option<u64>,
    /// Current values; absent if the driver reports none.
    pub sample: Option<GpuSample>,
    #[serde(default)]
    pub history: GpuHistory,
}

/// An encoder of a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GpuEncoder {
    /// Its name in ffmpeg: `h264_nvenc`.
    pub name: String,
    pub codec: VideoCodec,
    /// Long side of the largest frame that it encoded.
    pub max_side: u32,
    /// Frames per second at 1080p in the test encode.
    pub fps: f64,
    /// Frames can be decoded, scaled and encoded without leaving the GPU.
    #[serde(rename = "on_card")]
    pub on_gpu: bool,
}

/// Values reported by the driver at one moment. Values that it does not report are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GpuSample {
    /// Utilization of each engine, in percent.
    pub encoder_percent: Option<u8>,
    pub decoder_percent: Option<u8>,
    pub compute_percent: Option<u8>,
    pub memory_used_bytes: Option<u64>,
    pub temperature_celsius: Option<u8>,
    pub power_watts: Option<u32>,
    pub power_limit_watts: Option<u32>,
    /// Encoder sessions of all programs on this machine.
    pub encoder_sessions: Option<u32>,
    /// Other programs that use the GPU.
    pub foreign_processes: Option<u32>,
    /// Why it is throttled: `power`, `heat` and so on.
    #[serde(default)]
    pub throttled: Vec<String>,
}

/// The last minutes, oldest first. All lists have the same length; missing values are 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GpuHistory {
    /// Seconds from one sample to the next.
    pub every_seconds: u32,
    pub encoder_percent: Vec<u8>,
    pub memory_percent: Vec<u8>,
    pub temperature_celsius: Vec<u8>,
}

/// Long sides up to which an encoder is tried; a rung needs the first that holds it.
pub const SIDES: [u32; 3] = [1920, 4096, 8192];

/// What GPUs can do, or a job needs, as a set: one bit for each codec and size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities(i32);

impl Abilities {
    /// What encoding frames of this size needs; nothing has it beyond the largest of [`SIDES`].
    pub fn needed_for(codec: VideoCodec, width: u32, height: u32) -> Self {
        let side = width.max(height);
        Self::bit(codec, SIDES.iter().position(|most| side <= *most).unwrap_or(SIDES.len()))
    }

    /// What a ready GPU can do.
    pub fn of_gpu(gpu: &Gpu) -> Self {
        if gpu.state != GpuState::Ready {
            return Self::default();
        }
        let mut abilities = Self::default();
        for encoder in &gpu.encoders {
            for (position, side) in SIDES.iter().enumerate() {
                if *side <= encoder.max_side {
                    abilities = abilities.and(Self::bit(encoder.codec, position));
                }
            }
        }
        abilities
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn any_of(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// As it is stored.
    pub fn bits(self) -> i32 {
        self.0
    }

    fn bit(codec: VideoCodec, size: usize) -> Self {
        let codec = match codec {
            VideoCodec::H264 => 0,
            VideoCodec::Hevc => 1,
            VideoCodec::Av1 => 2,
        };
        Self(1 << (codec * (SIDES.len() + 1) + size))
    }
}

impl Gpu {
    /// Used memory in percent; absent if the driver does not report it.
    pub fn memory_percent(&self) -> Option<u8> {
        let (used, all) = (self.sample.as_ref()?.memory_used_bytes?, self.memory_bytes?);
        u8::try_from(used.min(all).saturating_mul(100).checked_div(all)?).ok()
    }

    /// Frames per second of its fastest encoder; 0 if it accepts no jobs.
    pub fn speed(&self) -> f64 {
        if self.state != GpuState::Ready {
            return 0.0;
        }
        self.encoders.iter().map(|encoder| encoder.fps).filter(|fps| fps.is_finite()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(state: GpuState, max_side: u32) -> Gpu {
        let encoder = GpuEncoder {
            name: "h264_nvenc".to_owned(),
            codec: VideoCodec::H264,
            max_side,
            fps: 400.0,
            on_gpu: false,
        };
        Gpu {
            id: "GPU-0".to_owned(),
            kind: GpuKind::Nvenc,
            name: "a GPU".to_owned(),
            state,
            reason: None,
            encoders: vec![encoder],
            sessions: 0,
            session_limit: None,
            memory_bytes: None,
            sample: None,
            history: GpuHistory::default(),
        }
    }

    #[test]
    fn a_gpu_can_do_what_it_did_and_everything_smaller() {
        let can = Abilities::of_gpu(&gpu(GpuState::Ready, 4096));
        let needs = |codec, width, height| can.any_of(Abilities::needed_for(codec, width, height));
        assert!(needs(VideoCodec::H264, 1280, 720) && needs(VideoCodec::H264, 2160, 3840));
        assert!(!needs(VideoCodec::H264, 7680, 4320) && !needs(VideoCodec::Hevc, 640, 360));
    }

    #[test]
    fn nothing_is_large_enough_for_what_was_never_tried() {
        let can = Abilities::of_gpu(&gpu(GpuState::Ready, 100_000));
        assert!(!can.any_of(Abilities::needed_for(VideoCodec::H264, 16_000, 9_000)));
    }

    #[test]
    fn a_gpu_that_takes_no_work_can_do_nothing() {
        for state in GpuState::ALL.iter().filter(|state| **state != GpuState::Ready) {
            let gpu = gpu(*state, 8192);
            assert_eq!((Abilities::of_gpu(&gpu).bits(), gpu.speed()), (0, 0.0), "{state}");
        }
    }
}
