//! Which uploads count as duplicates.

use clap::{Args, ValueEnum};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dedupe {
    /// Match videos that are waiting or being encoded.
    Live,
    /// Also match ready videos.
    All,
    /// Also match ready videos uploaded within the last `dedupe_hours`.
    Window,
    /// Match nothing: every upload becomes a new video.
    Off,
}

#[derive(Clone, Debug, Args)]
pub struct DedupeSettings {
    /// Which existing videos answer a duplicate upload (same content, same ladder) instead of a new video:
    /// those that are waiting or being encoded (`live`), also all ready ones (`all`), also ready ones
    /// uploaded within `dedupe_hours` (`window`), or none (`off`). The existing video keeps its title and
    /// collection, and gets the higher priority
    #[arg(long, env = "FRAMEFARM_DEDUPE", value_enum, default_value = "live")]
    pub dedupe: Dedupe,

    /// Hours after its upload during which a ready video matches duplicates, with `dedupe = window`
    #[arg(long, env = "FRAMEFARM_DEDUPE_HOURS", default_value_t = 24, value_name = "HOURS")]
    pub dedupe_hours: u32,
}
