//! What the farm imports itself: files by path and by URL.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use crate::egress::AllowList;

#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct IntakeSettings {
    /// Folders from which files may be imported by path, comma-separated; empty allows none. Anyone who can
    /// upload can read every file below them as the original of a video. All instances need the same folders
    #[arg(long, env = "FRAMEFARM_INTAKE_DIRS", default_value = "", value_name = "FOLDERS")]
    pub intake_dirs: String,

    /// Allow importing files by URL from public servers
    #[arg(long, env = "FRAMEFARM_INTAKE_URLS", default_value_t = true, action = clap::ArgAction::Set)]
    pub intake_urls: bool,

    /// Private addresses from which files may be imported, comma-separated: networks like `10.0.0.0/8`, or
    /// `host:port`. Anyone who can upload can then read what these addresses serve
    #[arg(long, env = "FRAMEFARM_INTAKE_URL_ALLOW", default_value_t = AllowList::default(), hide_default_value = true)]
    pub intake_url_allow: AllowList,

    /// Maximum number of concurrent imports per instance; they share its network and disk
    #[arg(long, env = "FRAMEFARM_INTAKE_PARALLEL", default_value_t = 2)]
    pub intake_parallel: u16,

    /// Minimum transfer rate in bytes per second, averaged over five minutes. A slower import is interrupted
    /// and retried later; it resumes where it stopped if the server supports that
    #[arg(long, env = "FRAMEFARM_INTAKE_MIN_BYTES_PER_SECOND", default_value_t = 16 * 1024)]
    pub intake_min_bytes_per_second: u64,

    /// Attempts after which an import fails; the delay between them starts at 30 seconds and doubles up to an
    /// hour
    #[arg(long, env = "FRAMEFARM_INTAKE_ATTEMPTS", default_value_t = 8)]
    pub intake_attempts: u16,
}

impl IntakeSettings {
    pub(super) fn check(&self, data_dir: &Path) -> anyhow::Result<()> {
        if !(1..=64).contains(&self.intake_parallel) {
            bail!("intake_parallel = {}: must be from 1 to 64", self.intake_parallel);
        }
        if !(1..=100).contains(&self.intake_attempts) {
            bail!("intake_attempts = {}: must be from 1 to 100", self.intake_attempts);
        }
        for folder in self.folders() {
            check_folder("intake_dirs", &folder, data_dir)?;
        }
        Ok(())
    }

    pub fn folders(&self) -> Vec<PathBuf> {
        self.intake_dirs
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(PathBuf::from)
            .collect()
    }
}

/// The data directory holds the database with everybody's secrets: nothing in it may become a video that can be
/// downloaded.
pub(super) fn check_folder(setting: &str, folder: &Path, data_dir: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    if !folder.is_absolute() {
        bail!("{setting} = {shown}: must be an absolute path");
    }
    if folder.parent().is_none() {
        bail!("{setting} = {shown}: must be a folder below the root directory");
    }
    let real = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    let (folder, data) = (real(folder)?, real(data_dir)?);
    if folder.starts_with(&data) || data.starts_with(&folder) {
        bail!("{setting} = {shown}: must not overlap data_dir ({}), which holds secrets", data_dir.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    #[test]
    fn folders_are_read_and_by_default_none_is_open() {
        let mut settings = Settings::defaults().unwrap().intake;
        assert!(settings.folders().is_empty() && settings.intake_urls);
        " /srv/videos, /mnt/b ,".clone_into(&mut settings.intake_dirs);
        assert_eq!(settings.folders(), [Path::new("/srv/videos"), Path::new("/mnt/b")]);
    }

    #[test]
    fn folders_that_would_give_secrets_away_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        std::fs::create_dir_all(data.join("media")).unwrap();
        std::os::unix::fs::symlink(&data, dir.path().join("link")).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        for (folders, good) in [
            (text(&dir.path().join("videos")), true),
            (text(&dir.path().join("data-videos")), true),
            (text(&data), false),
            (text(&data.join("media")), false),
            (text(dir.path()), false),
            (text(&dir.path().join("link")), false),
            (format!("/srv/videos,{}", text(&data)), false),
            ("/".to_owned(), false),
            ("videos".to_owned(), false),
        ] {
            let mut settings = Settings::defaults().unwrap().intake;
            settings.intake_dirs.clone_from(&folders);
            assert_eq!(settings.check(&data).is_ok(), good, "{folders}");
        }
    }
}
