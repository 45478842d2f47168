//! The encoder: the child process that turns a source into segments, and the only code that calls ffmpeg.
//!
//! The supervisor starts it as `framefarm-worker probe` or `framefarm-worker encode`, gives it one [`protocol`] line
//! on stdin and reads lines from its stdout.

pub mod protocol;
