//! Every kind of source that people upload, through the real child: what comes out is measured with the ffmpeg and
//! ffprobe programs and by reading the segments box by box.
//!
//! All generated clips show the same: a moving pattern that turns white at three seconds, and a tone that begins with it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod clip;
#[path = "../driver/mod.rs"]
mod driver;
mod gpus;
mod made;
mod media;
mod segment;
mod signal;

mod accepted;
mod codecs;
mod colors;
mod conformance;
mod containers;
mod copies;
mod footage;
mod images;
mod inits;
mod memory;
mod orders;
mod pictures;
mod rates;
mod reading;
mod refusals;
mod sounds;
mod surround;
mod times;
mod tracks;
mod words;
