//! HLS playlists as text: one media playlist a rendition, one master a video. Pure functions; who serves the text and
//! where the objects are is not known here.

mod audio;
mod bitrates;
mod master;
mod media;
mod subtitles;
mod text;
mod timeline;

pub use audio::AudioRendition;
pub use bitrates::Bitrates;
pub use master::{MasterInput, Variant, master_playlist};
pub use media::{MediaPlaylistInput, MediaSegment, media_playlist};
pub use subtitles::{SubtitleRendition, subtitle_playlist};

/// The lowest version with everything we write; fragmented MP4 with `EXT-X-MAP` asks for 6, Apple's tools expect 7.
const VERSION: usize = 7;
