//! Retention, clean-up, backup and restore.

pub mod backup;
pub mod gc;
pub mod restore;

mod files;
mod manifest;
mod media;
mod orphans;
mod rows;
mod space;
mod tree;
mod unknown_files;
mod verify;

pub use manifest::Manifest;
pub use space::give_back;
