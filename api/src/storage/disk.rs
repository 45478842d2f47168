//! Files of the staging area become objects of a local disk by a second name.

use std::path::Path;

/// Moves a file under another name. Both are on the same disk.
pub(super) async fn adopt(file: &Path, target: &Path) -> std::io::Result<()> {
    let parent = target.parent().unwrap_or(Path::new("/"));
    tokio::fs::create_dir_all(parent).await?;
    tokio::fs::File::open(file).await?.sync_all().await?;
    tokio::fs::rename(file, target).await?;
    tokio::fs::File::open(parent).await?.sync_all().await
}

pub(super) fn link(file: &Path, target: &Path) -> std::io::Result<()> {
    use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};
    let source = std::fs::File::open(file)?;
    // The sweep of orphans goes by this time; an upload may have lain for days before it is linked.
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    futimens(&source, &Timestamps { last_access: now, last_modification: now })?;
    source.sync_all()?;
    let parent = target.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent)?;
    if let Err(error) = std::fs::hard_link(file, target) {
        // Some network and removable file systems have no second names.
        tracing::debug!(%error, "no hard link; copying");
        let copy = target.with_extension("copy");
        std::fs::copy(file, &copy)?;
        std::fs::File::open(&copy)?.sync_all()?;
        std::fs::rename(&copy, target)?;
    }
    std::fs::File::open(parent)?.sync_all()?;
    // The directory of this object is new: its own name must survive a power cut as well.
    parent.parent().map_or(Ok(()), |above| std::fs::File::open(above)?.sync_all())
}
