//! What is deleted when: retention, orphaned files, and the space they took.

pub mod gc;

mod files;
mod media;
mod orphans;
mod rows;
mod space;
mod unknown_files;

pub use space::give_back;
