//! The encoder: the child process that turns a source into segments, and the only code that calls ffmpeg.
//!
//! The supervisor starts it as `framefarm-worker probe` or `framefarm-worker encode`, gives it one [`protocol`] line
//! on stdin and reads lines from its stdout. The modules stand in the order a source meets them.

pub mod protocol;

/// The child's `main`.
pub mod child;

mod report;

mod boundaries;
mod input;
mod probe;
mod scan;

mod copy;
mod encode;
mod film;
mod front;
mod images;
mod jpeg;
mod rung;
mod scaler;
mod sound;
mod still;
mod text;
mod video_encoder;
mod wanted;

mod cutter;
mod nal;
mod segment;

mod failure;
mod ff;
mod gauge;
mod time;
