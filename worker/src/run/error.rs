//! Why an attempt does not end with a finished job.

use std::io;

use framefarm_shared::failure::{ErrorClass, without_os_numbers};

use crate::client::CallError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AttemptError {
    /// The job is someone else's: not a byte more about it.
    #[error("the claim was lost")]
    Lost,
    /// The job goes back as it is.
    #[error("worker is stopping")]
    Stopping,
    #[error("{message} ({class})")]
    Failed { class: ErrorClass, message: String },
}

impl AttemptError {
    pub(super) fn failed(class: ErrorClass, message: impl Into<String>) -> Self {
        Self::Failed { class, message: without_os_numbers(&message.into()) }
    }

    pub(super) fn disk(what: &str, error: &io::Error) -> Self {
        Self::failed(ErrorClass::Storage, format!("on the worker: {what}: {error}"))
    }
}

impl From<CallError> for AttemptError {
    fn from(error: CallError) -> Self {
        Self::from(&error)
    }
}

impl From<&CallError> for AttemptError {
    fn from(error: &CallError) -> Self {
        if error.ends_the_claim().is_some() {
            return Self::Lost;
        }
        let class = match error {
            CallError::TryAgain { .. } | CallError::Damaged(_) => ErrorClass::Transfer,
            CallError::Disk(_) | CallError::NoRoom { .. } => ErrorClass::Storage,
            CallError::Stop { .. } | CallError::Refused { .. } => ErrorClass::Internal,
        };
        Self::failed(class, error.to_string())
    }
}
