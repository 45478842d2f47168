//! A directory that nobody else can look into, or has made beforehand to wait for what we put there.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use rustix::process::geteuid;

const OURS_ALONE: u32 = 0o700;
const OTHERS: u32 = 0o077;
const OTHERS_WRITE: u32 = 0o022;
const ROOT: u32 = 0;

/// Creates it, and what leads to it, for this user alone.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(OURS_ALONE).create(path)
}

/// Creates the scratch directory if there is none, and refuses one that another user owns or could have changed.
pub(crate) fn prepare(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    let us = geteuid().as_raw();
    make(path).with_context(|| format!("cannot create the scratch directory {shown}"))?;
    let link = fs::symlink_metadata(path).with_context(|| shown.to_string())?;
    let found = fs::metadata(path).with_context(|| shown.to_string())?;
    let set_by_another = link.is_symlink() && ![us, ROOT].contains(&link.uid());
    if found.uid() != us || set_by_another {
        let owner = if set_by_another { link.uid() } else { found.uid() };
        bail!(
            "the scratch directory {shown} belongs to another user (uid {owner}, this worker is uid {us}); \
             choose another one with --scratch, or change its owner"
        );
    }
    let mode = found.mode();
    if mode & OTHERS_WRITE != 0 {
        bail!("other users can write to the scratch directory {shown}; empty it and run: chmod 700 {shown}");
    }
    if mode & OTHERS != 0 {
        fs::set_permissions(path, Permissions::from_mode(OURS_ALONE))
            .with_context(|| format!("cannot restrict {shown} to its owner"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{chown, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_new_directory_is_ours_alone_and_so_is_one_that_others_could_read() {
        let root = tempfile::tempdir().unwrap();
        let (new, known) = (root.path().join("a/b"), root.path().join("known"));
        prepare(&new).unwrap();
        fs::create_dir(&known).unwrap();
        fs::set_permissions(&known, Permissions::from_mode(0o755)).unwrap();
        prepare(&known).unwrap();
        assert_eq!((mode(&new), mode(&known)), (0o700, 0o700));
    }

    #[test]
    fn a_directory_that_others_could_write_to_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for open in [0o770, 0o777, 0o1777, 0o702] {
            fs::set_permissions(root.path(), Permissions::from_mode(open)).unwrap();
            let refused = prepare(root.path()).unwrap_err().to_string();
            assert!(refused.contains("chmod 700"), "{refused}");
            assert_eq!(mode(root.path()), open, "the mode is unchanged");
        }
    }

    #[test]
    fn a_directory_that_somebody_else_made_is_refused() {
        if geteuid().as_raw() != ROOT {
            let refused = prepare(Path::new("/usr")).unwrap_err().to_string();
            assert!(refused.contains("belongs to another user (uid 0"), "{refused}");
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let theirs = root.path().join("theirs");
        make(&theirs).unwrap();
        chown(&theirs, Some(12345), None).unwrap();
        let refused = prepare(&theirs).unwrap_err().to_string();
        assert!(refused.contains("belongs to another user (uid 12345, this worker is uid 0)"), "{refused}");
    }

    #[test]
    fn a_link_that_somebody_else_made_to_a_directory_of_ours_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let (ours, link) = (root.path().join("ours"), root.path().join("link"));
        make(&ours).unwrap();
        symlink(&ours, &link).unwrap();
        prepare(&link).unwrap();
        if geteuid().as_raw() == ROOT {
            std::os::unix::fs::lchown(&link, Some(12345), None).unwrap();
            assert!(prepare(&link).unwrap_err().to_string().contains("uid 12345"));
        }
    }
}
