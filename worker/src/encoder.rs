//! The encoder: the child process that turns a source into segments, and the only code that calls ffmpeg.
//!
//! The supervisor starts it as `framefarm-worker probe` or `framefarm-worker encode`, gives it one [`protocol`] line
//! on stdin and reads lines from its stdout. The modules stand in the order a source meets them.

pub mod protocol;

// The child's `main`.
pub mod child;

mod activity;
mod alpha;
mod limits;
mod report;

// What a card can do.
pub mod card_trial;
// Something to test with.
pub(crate) mod clip;
mod hardware;

mod boundaries;
mod colors;
mod copyable;
mod decoders;
mod h264;
mod input;
mod joins;
mod losses;
mod outliers;
mod probe;
mod scan;
mod still_image;
mod timeline;
mod ts_packets;

mod audio;
mod card_scaler;
mod copy;
mod cut_off;
mod encode;
mod feeding;
mod film;
mod filters;
mod frame_times;
mod front;
mod images;
mod jpeg;
mod on_card;
mod rung;
mod scaler;
mod still;
mod text;
mod video_encoder;
mod wanted;

mod cutter;
mod nal;
mod segment;
mod sets;

mod failure;
mod ff;
mod gauge;
mod time;
