//! What goes wrong between the farm and its bytes.

/// A disk says more about its trouble than `object_store` passes on: whether it is full, for one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Disk(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

pub type Result<T> = std::result::Result<T, Error>;
