//! Why the encoder gives up: a class for the farm, words for a person.

use ffmpeg_next::Error;
use framefarm_shared::failure::{ErrorClass, truncate, without_os_numbers};

use super::ff;
use super::protocol::GpuStage;

/// ffmpeg can be talkative.
const WORDS_LIMIT: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct Failure {
    pub(super) class: ErrorClass,
    pub(super) message: String,
    /// The GPU is at fault: what it was asked for, and what ffmpeg returned.
    pub(super) gpu: Option<(GpuStage, i32)>,
}

pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub(super) fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), gpu: None }
    }

    /// The source is at fault; no other try can help.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::InputInvalid, message)
    }

    /// An encoder is at fault.
    pub(super) fn encoder(what: &str, error: impl std::fmt::Display) -> Self {
        Self::new(ErrorClass::Encoder, format!("{what}: {error}"))
    }

    /// A GPU is at fault, and neither a quality nor the job.
    pub(super) fn gpu(stage: GpuStage, what: &str, error: Error) -> Self {
        let said = ff::said();
        let message = match truncate(&said, WORDS_LIMIT) {
            "" => format!("{what}: {error}"),
            words => format!("{what}: {error}: {words}"),
        };
        Self { gpu: Some((stage, error.into())), ..Self::new(ErrorClass::Internal, message) }
    }

    /// The disk is at fault.
    pub(super) fn storage(path: &std::path::Path, error: &std::io::Error) -> Self {
        let error = without_os_numbers(&error.to_string());
        Self::new(ErrorClass::Storage, format!("{}: {error}", path.display()))
    }

    /// We are at fault.
    pub(super) fn internal(what: &str, error: impl std::fmt::Display) -> Self {
        Self::new(ErrorClass::Internal, format!("{what}: {error}"))
    }

    /// What a GPU makes of a quality cannot be used: that is not our defect.
    pub(super) fn blamed_on_gpu(self) -> Self {
        if self.class != ErrorClass::Internal || self.gpu.is_some() {
            return self;
        }
        Self { gpu: Some((GpuStage::Encode, Error::InvalidData.into())), ..self }
    }
}
