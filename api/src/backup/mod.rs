//! A copy of a whole farm: made while it serves, checked, and restored.

pub mod create;
pub mod restore;

mod manifest;
mod tree;
mod verify;

pub use manifest::Manifest;
