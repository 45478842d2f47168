//! Small valid media and parts, and the means to bend them.
//!
//! ```
//! use framefarm_api::testing::media;
//!
//! let plan = [0, 6_000_000, 12_000_000];
//! let archive = media::part("720p", 0, &plan).build();
//! # assert!(!archive.is_empty());
//! ```

#![expect(
    clippy::missing_panics_doc,
    reason = "a builder asked for the impossible fails the test that asked"
)]

mod fmp4;
mod part;

pub use self::fmp4::{
    AUDIO_TIMESCALE, VIDEO_TIMESCALE, audio_init, audio_segment, boxed, find_box, patched, payload,
    video_init, video_segment,
};
pub use self::part::{PartBuilder, RawEntry, audio_part, gzip, part};
