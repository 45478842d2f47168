//! What is wrong inside one file, before it is known which file that is.

use std::io;

use framefarm_shared::part::PartFile;

use super::PartError;

/// What is wrong inside one file of a part.
#[derive(Debug)]
pub(super) enum FileError {
    Media(String),
    Timeline(String),
    Scratch(io::Error),
}

impl FileError {
    pub(super) fn media(reason: impl Into<String>) -> Self {
        Self::Media(reason.into())
    }

    pub(super) fn timeline(reason: impl Into<String>) -> Self {
        Self::Timeline(reason.into())
    }

    pub(super) fn of(self, name: PartFile) -> PartError {
        match self {
            Self::Media(reason) => PartError::BadMedia { name, reason },
            Self::Timeline(reason) => PartError::Timeline { name, reason },
            Self::Scratch(error) => PartError::Scratch(error),
        }
    }
}
