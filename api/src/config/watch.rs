//! The watch folder.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::intake::check_folder;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WatchAfter {
    /// Into `.done` or `.failed` in the watch folder.
    Move,
    /// The file stays; its path, size and time of change are remembered.
    Keep,
    /// What was taken is deleted; what failed is moved into `.failed`.
    Delete,
}

#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct WatchSettings {
    /// Folder whose files become videos by themselves; the first folder below it names their collection. Several instances may
    /// watch the same one
    #[arg(long, env = "FRAMEFARM_WATCH_DIR", value_name = "FOLDER")]
    pub watch_dir: Option<PathBuf>,

    /// Seconds for which a file must not have changed before it is taken; a slow copy that pauses for longer is taken too early
    #[arg(long, env = "FRAMEFARM_WATCH_STABLE_SECONDS", default_value_t = 10)]
    pub watch_stable_seconds: u32,

    /// Seconds between looks at the whole folder, for changes that the system does not tell: on network disks it tells none
    #[arg(long, env = "FRAMEFARM_WATCH_RESCAN_SECONDS", default_value_t = 60)]
    pub watch_rescan_seconds: u32,

    /// What becomes of a file that was taken: move, keep or delete
    #[arg(long, env = "FRAMEFARM_WATCH_AFTER", value_enum, default_value = "move")]
    pub watch_after: WatchAfter,

    /// Endings of file names that are taken, separated by commas
    #[arg(
        long,
        env = "FRAMEFARM_WATCH_EXTENSIONS",
        default_value = "mp4,m4v,mov,mkv,webm,avi,mpg,mpeg,m2v,ts,mts,m2ts,mxf,wmv,flv,3gp,ogv,vob,mp3,m4a,aac,wav,flac,ogg,opus"
    )]
    pub watch_extensions: String,
}

impl WatchSettings {
    pub(super) fn check(&self, data_dir: &Path) -> anyhow::Result<()> {
        if !(1..=86_400).contains(&self.watch_stable_seconds) {
            bail!("watch_stable_seconds = {}: must be from 1 second to a day", self.watch_stable_seconds);
        }
        if !(1..=86_400).contains(&self.watch_rescan_seconds) {
            bail!("watch_rescan_seconds = {}: must be from 1 second to a day", self.watch_rescan_seconds);
        }
        if self
            .watch_extensions
            .split(',')
            .any(|ending| ending.trim().is_empty() || ending.contains(['.', '/']))
        {
            bail!("watch_extensions = {}: must be endings like mp4,mov", self.watch_extensions);
        }
        match &self.watch_dir {
            Some(folder) => check_folder("watch_dir", folder, data_dir),
            None => Ok(()),
        }
    }

    /// Whether a file of this name is one to take.
    pub fn takes(&self, name: &str) -> bool {
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let known = || self.watch_extensions.split(',').any(|one| one.trim().eq_ignore_ascii_case(ending));
        !stem.is_empty() && !name.starts_with('.') && !name.starts_with('~') && known()
    }
}
