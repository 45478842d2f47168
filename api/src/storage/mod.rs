//! Where the bytes are: sources, segments, playlists, all named by [`ObjectKey`].

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use framefarm_shared::object_key::ObjectKey;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path as StorePath;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};

/// Free space of the disk the data is on.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    pub free: u64,
    pub total: u64,
}

#[derive(Clone, Debug)]
pub struct Storage {
    store: Arc<dyn ObjectStore>,
    root: PathBuf,
}

impl Storage {
    /// Local disk below `root`; proves at once that files can be created, renamed and synced there.
    pub fn local(root: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(root)?;
        let probe = tempfile::NamedTempFile::new_in(root)?;
        probe.as_file().sync_all()?;
        let renamed = root.join(".probe");
        probe.persist(&renamed)?;
        std::fs::remove_file(&renamed)?;
        // Written means on disk: temp name, fsync, rename, fsync of the directory.
        let store = LocalFileSystem::new_with_prefix(root)?.with_automatic_cleanup(true).with_fsync(true);
        Ok(Self { store: Arc::new(store), root: root.to_owned() })
    }

    pub async fn put(&self, key: &ObjectKey, bytes: Bytes) -> object_store::Result<()> {
        self.store.put(&key.path().into(), bytes.into()).await.map(drop)
    }

    /// Moves a finished file of the staging area under its key. It must be on the same disk.
    pub async fn adopt(&self, file: &Path, key: &ObjectKey) -> std::io::Result<()> {
        let target = self.root.join(key.path());
        let parent = target.parent().unwrap_or(&self.root).to_owned();
        tokio::fs::create_dir_all(&parent).await?;
        tokio::fs::File::open(file).await?.sync_all().await?;
        tokio::fs::rename(file, &target).await?;
        tokio::fs::File::open(&parent).await?.sync_all().await
    }

    /// Puts a file of the staging area under its key and leaves it where it is too: until the database refers to
    /// the object, losing either of the two names loses nothing. Both names are on the same disk.
    pub async fn link(&self, file: &Path, key: &ObjectKey) -> std::io::Result<()> {
        let (file, target) = (file.to_owned(), self.root.join(key.path()));
        let linked = tokio::task::spawn_blocking(move || link(&file, &target));
        linked.await.map_err(std::io::Error::other)?
    }

    pub async fn head(&self, key: &ObjectKey) -> object_store::Result<ObjectMeta> {
        self.store.head(&key.path().into()).await
    }

    pub async fn get(&self, key: &ObjectKey) -> object_store::Result<Bytes> {
        self.store.get(&key.path().into()).await?.bytes().await
    }

    pub async fn stream(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> object_store::Result<BoxStream<'static, object_store::Result<Bytes>>> {
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        Ok(self.store.get_opts(&key.path().into(), options).await?.into_stream())
    }

    /// Cheap on one disk (a hard link) and inside one object store.
    pub async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> object_store::Result<()> {
        self.store.copy(&from.path().into(), &to.path().into()).await
    }

    /// Removes everything below a prefix; what is gone already is fine. Returns how many objects went.
    pub async fn delete_prefix(&self, prefix: &str) -> object_store::Result<u64> {
        let objects: Vec<StorePath> =
            self.store.list(Some(&prefix.into())).map_ok(|meta| meta.location).try_collect().await?;
        let mut gone = 0;
        for location in objects {
            gone += u64::from(self.delete(&location).await?);
        }
        Ok(gone)
    }

    pub async fn delete_key(&self, key: &ObjectKey) -> object_store::Result<bool> {
        self.delete(&key.path().into()).await
    }

    async fn delete(&self, location: &StorePath) -> object_store::Result<bool> {
        match self.store.delete(location).await {
            Ok(()) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Names of the directories directly below `prefix`.
    pub async fn directories(&self, prefix: &str) -> object_store::Result<Vec<String>> {
        let listed = self.store.list_with_delimiter(Some(&prefix.into())).await?;
        let name = |path: &StorePath| path.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(listed.common_prefixes.iter().filter_map(name).collect())
    }

    /// When the newest object below a prefix was written.
    pub async fn newest_below(&self, prefix: &str) -> object_store::Result<Option<DateTime<Utc>>> {
        let times = self.store.list(Some(&prefix.into())).map_ok(|meta| meta.last_modified);
        times.try_fold(None, |newest, time| async move { Ok(newest.max(Some(time))) }).await
    }

    pub async fn count_below(&self, prefix: &str) -> usize {
        self.store.list(Some(&prefix.into())).count().await
    }

    pub fn space(&self) -> std::io::Result<Space> {
        let stat = rustix::fs::statvfs(&self.root)?;
        Ok(Space { free: stat.f_bavail * stat.f_frsize, total: stat.f_blocks * stat.f_frsize })
    }
}

fn link(file: &Path, target: &Path) -> std::io::Result<()> {
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
