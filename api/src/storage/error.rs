//! Storage errors.

/// A disk error says more than `object_store` passes on, for example whether the disk is full.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Disk(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

pub type Result<T> = std::result::Result<T, Error>;
