//! The watch folder.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::intake::check_folder;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WatchAfter {
    /// Move it into `.done` or `.failed` in the watch folder.
    Move,
    /// Leave it in place and remember its path, size and modification time.
    Keep,
    /// Delete it; if its import failed, move it into `.failed`.
    Delete,
}

#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct WatchSettings {
    /// Watch folder: its files are imported automatically, and the name of a first-level subfolder is their
    /// collection. Several instances can watch the same folder
    #[arg(long, env = "FRAMEFARM_WATCH_DIR", value_name = "FOLDER")]
    pub watch_dir: Option<PathBuf>,

    /// Seconds that a file must stay unchanged before it is imported. A slow copy that pauses for longer is
    /// imported incomplete
    #[arg(long, env = "FRAMEFARM_WATCH_STABLE_SECONDS", default_value_t = 10)]
    pub watch_stable_seconds: u32,

    /// Seconds between full scans of the watch folder. Scans find changes that the operating system does not
    /// report; on network file systems it reports none
    #[arg(long, env = "FRAMEFARM_WATCH_RESCAN_SECONDS", default_value_t = 60)]
    pub watch_rescan_seconds: u32,

    /// What to do with an imported file
    #[arg(long, env = "FRAMEFARM_WATCH_AFTER", value_enum, default_value = "move")]
    pub watch_after: WatchAfter,

    /// File name extensions to import, comma-separated
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
            bail!(
                "watch_stable_seconds = {}: must be from 1 to 86400 seconds (a day)",
                self.watch_stable_seconds
            );
        }
        if !(1..=86_400).contains(&self.watch_rescan_seconds) {
            bail!(
                "watch_rescan_seconds = {}: must be from 1 to 86400 seconds (a day)",
                self.watch_rescan_seconds
            );
        }
        if self
            .watch_extensions
            .split(',')
            .any(|ending| ending.trim().is_empty() || ending.contains(['.', '/']))
        {
            bail!("watch_extensions = {}: must be extensions like mp4,mov", self.watch_extensions);
        }
        match &self.watch_dir {
            Some(folder) => check_folder("watch_dir", folder, data_dir),
            None => Ok(()),
        }
    }

    /// Whether a file of this name is to be imported.
    pub fn takes(&self, name: &str) -> bool {
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let known = || self.watch_extensions.split(',').any(|one| one.trim().eq_ignore_ascii_case(ending));
        !stem.is_empty() && !name.starts_with('.') && !name.starts_with('~') && known()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    #[test]
    fn names_of_clips_are_taken_and_others_are_not() {
        let settings = Settings::defaults().unwrap().watch;
        for name in ["video.mp4", "CLIP.MOV", "a.b.mkv", "sound.mp3"] {
            assert!(settings.takes(name), "{name}");
        }
        for name in [
            "video",
            "mp4",
            ".mp4",
            ".video.mp4",
            "~video.mp4",
            "video.mp4.part",
            "video.mp4~",
            "video.txt",
            "video.",
        ] {
            assert!(!settings.takes(name), "{name}");
        }
    }

    #[test]
    fn a_watch_that_makes_no_sense_is_refused() {
        let data = Path::new("/srv/data");
        let refused = |change: fn(&mut WatchSettings)| {
            let mut settings = Settings::defaults().unwrap().watch;
            change(&mut settings);
            settings.check(data).map_err(|error| error.to_string()).expect_err("refused")
        };
        assert!(refused(|s| s.watch_stable_seconds = 0).contains("watch_stable_seconds"));
        assert!(refused(|s| s.watch_rescan_seconds = 0).contains("watch_rescan_seconds"));
        assert!(refused(|s| ".mp4".clone_into(&mut s.watch_extensions)).contains("watch_extensions"));
        assert!(refused(|s| s.watch_dir = Some("/srv".into())).contains("must not overlap data_dir"));
        assert!(refused(|s| s.watch_dir = Some("in".into())).contains("absolute"));
    }
}
