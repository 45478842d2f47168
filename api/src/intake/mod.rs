//! File imports: files that the farm fetches itself instead of receiving an upload.
//!
//! A file given by URL or path is a row in `intake`, so that the request returns at once and nothing is lost. An
//! instance claims a row, copies the bytes into an upload of its own, and that upload ends like every other: hashed,
//! sealed, queued once. The watch folder adds such rows automatically ([`watch`]).
//!
//! `queue` takes requests, `fetch` does the work; `folders`, `below` and `url` say what may be read.

pub mod below;
mod bytes;
mod error;
pub mod fetch;
pub mod folders;
mod pace;
pub mod queue;
mod url;
pub mod watch;
