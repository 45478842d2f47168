//! When the same content is the same video.

use clap::{Args, ValueEnum};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dedupe {
    /// As long as it waits or is being encoded.
    Live,
    /// As long as a video of it plays, too.
    All,
    /// As `all`, for videos that were uploaded within `dedupe_hours`.
    Window,
    /// Never: every upload becomes a video of its own.
    Off,
}

#[derive(Clone, Debug, Args)]
pub struct DedupeSettings {
    /// When an upload of content that is here already, for the same ladder, is answered with the video that has it:
    /// while that waits or is being encoded (`live`), also once it plays (`all`, or `window` for a while), or never. It
    /// keeps its own title and collection, and the higher priority
    #[arg(long, env = "FRAMEFARM_DEDUPE", value_enum, default_value = "live")]
    pub dedupe: Dedupe,

    /// With `dedupe = window`: for so long after its upload a video is found again
    #[arg(long, env = "FRAMEFARM_DEDUPE_HOURS", default_value_t = 24, value_name = "HOURS")]
    pub dedupe_hours: u32,
}
