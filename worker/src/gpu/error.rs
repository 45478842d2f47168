//! What can go wrong with a GPU, and what is done about it. The table is in `docs/gpu.md`; this file is that table.

use crate::encoder::protocol::GpuStage;

/// Kinds of GPU errors. None of them is the video's fault, so none spends an attempt of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GpuError {
    /// Every encoder session is taken, by us or by others.
    SessionLimit,
    /// The GPU's memory is full.
    OutOfMemory,
    /// The GPU does not do this codec, size or format.
    Unsupported,
    /// The driver or the GPU is gone.
    DriverLost,
    /// It took a picture and never came back.
    Timeout,
    /// Something that we have no name for.
    Unknown,
}

/// What becomes of a GPU after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// It gets fewer sessions for a while.
    Shrink,
    /// It takes no new work for a while.
    Rest,
    /// It is not asked for this codec at this size any more.
    Narrow,
    /// It takes no work until a probe succeeds.
    Quarantine,
    /// Counted; the third time in a row is one too many.
    Count,
}

impl GpuError {
    pub const ALL: [Self; 6] = [
        Self::SessionLimit,
        Self::OutOfMemory,
        Self::Unsupported,
        Self::DriverLost,
        Self::Timeout,
        Self::Unknown,
    ];

    /// From what ffmpeg returned and what it and the libraries below it wrote.
    pub fn of(stage: GpuStage, code: i32, log: &str) -> Self {
        let log = log.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| log.contains(word));
        if says(&["openencodesessionex failed: out of memory", "incompatible client key"]) {
            return Self::SessionLimit;
        }
        if says(&["cuda_error_out_of_memory", "out of memory", "cannot allocate memory"]) {
            return Self::OutOfMemory;
        }
        if says(&LOST) {
            return Self::DriverLost;
        }
        if says(&["not supported", "unsupported", "no capable devices", "exceeds"]) {
            return Self::Unsupported;
        }
        match (stage, -code) {
            (GpuStage::Open, libc::ENOMEM) => Self::SessionLimit,
            (_, libc::ENOMEM) => Self::OutOfMemory,
            (_, libc::ENOSYS) | (GpuStage::Open, libc::EINVAL) => Self::Unsupported,
            (_, libc::EIO | libc::ENODEV | libc::ENXIO) | (GpuStage::Device, _) => Self::DriverLost,
            (_, libc::ETIMEDOUT) => Self::Timeout,
            _ => Self::Unknown,
        }
    }

    pub fn measure(self) -> Measure {
        match self {
            Self::SessionLimit => Measure::Shrink,
            Self::OutOfMemory => Measure::Rest,
            Self::Unsupported => Measure::Narrow,
            Self::DriverLost | Self::Timeout => Measure::Quarantine,
            Self::Unknown => Measure::Count,
        }
    }

    /// For a person.
    pub fn words(self) -> &'static str {
        match self {
            Self::SessionLimit => "all encoder sessions are in use",
            Self::OutOfMemory => "GPU memory is full",
            Self::Unsupported => "codec or resolution not supported",
            Self::DriverLost => "the driver does not respond",
            Self::Timeout => "the encoder hangs",
            Self::Unknown => "the encoder failed",
        }
    }
}

/// How CUDA, NVENC and libva report that the driver or the GPU is gone.
const LOST: [&str; 10] = [
    "cannot load libcuda",
    "cannot load libnvidia-encode",
    "cuda_error_no_device",
    "cuda_error_device_unavailable",
    "cuda_error_unknown",
    "cuda_error_not_initialized",
    "device doesn't exist",
    "no encode device",
    "failed to initialise vaapi connection",
    "no va display found",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn error(stage: GpuStage, code: i32, log: &str) -> GpuError {
        GpuError::of(stage, -code, log)
    }

    #[test]
    fn a_refused_session_is_no_failure_of_the_gpu() {
        let log = "[h264_nvenc @ 0x55] OpenEncodeSessionEx failed: out of memory (10): (no details)";
        assert_eq!(error(GpuStage::Open, libc::ENOMEM, log), GpuError::SessionLimit);
        assert_eq!(error(GpuStage::Open, libc::ENOMEM, ""), GpuError::SessionLimit);
        let log = "OpenEncodeSessionEx failed: incompatible client key (21)";
        assert_eq!(error(GpuStage::Open, libc::EPERM, log), GpuError::SessionLimit);
    }

    #[test]
    fn memory_that_runs_out_later_is_memory() {
        assert_eq!(error(GpuStage::Encode, libc::ENOMEM, ""), GpuError::OutOfMemory);
        let log = "cu->cuMemAlloc(...) failed -> CUDA_ERROR_OUT_OF_MEMORY: out of memory";
        assert_eq!(error(GpuStage::Device, libc::EPERM, log), GpuError::OutOfMemory);
    }

    #[test]
    fn what_the_gpu_does_not_do_is_told_apart_from_a_broken_gpu() {
        let log = "[h264_nvenc @ 0x1] Width 8192 exceeds 4096\n[h264_nvenc @ 0x1] No capable devices found";
        assert_eq!(error(GpuStage::Open, libc::ENOSYS, log), GpuError::Unsupported);
        let log = "[h264_nvenc @ 0x1] Cannot load libcuda.so.1";
        assert_eq!(error(GpuStage::Open, libc::EPERM, log), GpuError::DriverLost);
        assert_eq!(error(GpuStage::Encode, libc::EIO, ""), GpuError::DriverLost);
        assert_eq!(error(GpuStage::Device, libc::EINVAL, ""), GpuError::DriverLost);
    }

    #[test]
    fn words_without_a_name_are_unknown_and_only_counted() {
        let unknown = error(GpuStage::Encode, 7777, "EncodePicture failed!: generic error (20)");
        assert_eq!((unknown, unknown.measure()), (GpuError::Unknown, Measure::Count));
    }
}
