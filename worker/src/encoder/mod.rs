//! The encoder: the child process that turns a source into segments, and the only code that calls ffmpeg.
//!
//! The supervisor starts it as `framefarm-worker probe` or `framefarm-worker encode`, gives it one [`protocol`] line
//! on stdin and reads lines from its stdout. The modules stand in the order a source meets them.

pub mod protocol;

// The child's `main`.
pub mod child;

mod activity;
mod limits;
mod report;

// --- GPUs: their encoders, what they can do, and a clip to test with ---

pub(crate) mod clip;
pub mod gpu_trial;
mod hardware;

// --- Probe: what the source is, and where its segments begin ---

mod alpha;
mod boundaries;
mod colors;
mod copyable;
mod cut_off;
mod decoders;
mod h264;
mod input;
mod joins;
mod outliers;
mod probe;
mod scan;
mod still_image;
mod timeline;
mod ts_packets;

// --- Encode: decode once, scale, encode each quality ---

mod audio;
mod copy;
mod decode_pass;
mod encode;
mod encoder_input;
mod filters;
mod frame_grab;
mod frame_times;
mod gpu_decode;
mod gpu_scaler;
mod images;
mod jpeg;
mod losses;
mod prepare;
mod rung;
mod scaler;
mod subtitles;
mod video_encoder;
mod wanted;

// --- Out: segments ---

mod cutter;
mod nal;
mod parameter_sets;
mod segment;

// --- Infrastructure ---

mod failure;
mod ff;
mod meter;
mod time;
