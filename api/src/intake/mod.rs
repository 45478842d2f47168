//! Other ways in than an upload: files that the farm brings in by itself.
//!
//! A file by its address or path is a row in `intake`, so that the call which names it answers at once and nothing is
//! forgotten. An instance takes a row, copies the bytes into an upload of its own, and the end of that upload is the
//! same as every other's: hashed, sealed, queued once. The watch folder makes such rows by itself ([`watch`]).
//!
//! `queue` takes requests, `fetch` does the work; `folders`, `below` and `url` say what may be read.

pub mod below;
mod bytes;
pub mod fetch;
pub mod folders;
mod pace;
pub mod queue;
mod trouble;
mod url;
pub mod watch;
