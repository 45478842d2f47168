//! Files of the staging area become objects of a local disk by a second name.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// Moves a file under a name that says what is in it. Both are on the same disk. If the name is taken, it stays as it is,
/// and the file goes.
pub(super) fn adopt(file: &Path, target: &Path) -> io::Result<()> {
    File::open(file)?.sync_all()?;
    let parent = target.parent().unwrap_or(Path::new("/"));
    let changed = make_directories(parent)?;
    match renameat_with(CWD, file, CWD, target, RenameFlags::NOREPLACE) {
        Ok(()) => {}
        Err(Errno::EXIST) => std::fs::remove_file(file)?,
        // Some network file systems cannot be asked so.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if target.exists() => std::fs::remove_file(file)?,
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => std::fs::rename(file, target)?,
        Err(error) => return Err(error.into()),
    }
    sync_all(&changed)
}

pub(super) fn link(file: &Path, target: &Path) -> io::Result<()> {
    use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};
    let source = File::open(file)?;
    // The sweep of orphans goes by this time; an upload may have lain for days before it is linked.
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    futimens(&source, &Timestamps { last_access: now, last_modification: now })?;
    source.sync_all()?;
    let parent = target.parent().unwrap_or(Path::new("/"));
    let changed = make_directories(parent)?;
    if let Err(error) = std::fs::hard_link(file, target) {
        // Some network and removable file systems have no second names.
        tracing::debug!(%error, "no hard link; copying");
        let copy = target.with_extension("copy");
        std::fs::copy(file, &copy)?;
        File::open(&copy)?.sync_all()?;
        std::fs::rename(&copy, target)?;
    }
    sync_all(&changed)
}

/// Gives back the directories in which names are new, or about to be: each must be synced for them to survive a power cut.
fn make_directories(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut changed = vec![directory.to_owned()];
    let mut missing = directory;
    while let Some(above) = missing.parent().filter(|_| !missing.is_dir()) {
        changed.push(above.to_owned());
        missing = above;
    }
    std::fs::create_dir_all(directory)?;
    Ok(changed)
}

fn sync_all(directories: &[PathBuf]) -> io::Result<()> {
    directories.iter().try_for_each(|directory| File::open(directory)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_not_given_away() {
        let dir = tempfile::tempdir().unwrap();
        let (file, target) = (dir.path().join("staged"), dir.path().join("a/b"));
        for (content, stored) in [("first", "first"), ("second", "first")] {
            std::fs::write(&file, content).unwrap();
            adopt(&file, &target).unwrap();
            assert_eq!(std::fs::read_to_string(&target).unwrap(), stored);
            assert!(!file.exists());
        }
    }

    #[test]
    fn every_directory_that_got_a_new_name_is_synced() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("a/b"));
        assert_eq!(make_directories(&b).unwrap(), [b.clone(), a, dir.path().to_owned()]);
        assert!(b.is_dir());
        assert_eq!(make_directories(&b).unwrap(), [b], "nothing above it changed");
    }
}
