//! Why the encoder gives up: a class for the farm, words for a person.

use framefarm_shared::failure::ErrorClass;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct Failure {
    pub(super) class: ErrorClass,
    pub(super) message: String,
}

pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// The source is at fault; no other try can help.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self { class: ErrorClass::InputInvalid, message: message.into() }
    }

    /// An encoder is at fault.
    pub(super) fn encoder(what: &str, error: impl std::fmt::Display) -> Self {
        Self { class: ErrorClass::Encoder, message: format!("{what}: {error}") }
    }

    /// The disk is at fault.
    pub(super) fn storage(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self { class: ErrorClass::Storage, message: format!("{}: {error}", path.display()) }
    }

    /// We are at fault.
    pub(super) fn internal(what: &str, error: impl std::fmt::Display) -> Self {
        Self { class: ErrorClass::Internal, message: format!("{what}: {error}") }
    }
}
