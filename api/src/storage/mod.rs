//! Where the bytes are: sources, segments, playlists, all named by [`ObjectKey`].
//!
//! On a local disk a staged file becomes an object by a second name; into an object store it is sent. `open` finds out
//! which of the two `storage_url` means, `remote` has what only object stores do: uploads in parts, and signed links.

mod disk;
mod error;
mod open;
mod remote;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use framefarm_shared::object_key::ObjectKey;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path as StorePath;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt};

pub use self::error::{Error, Result};
pub use self::open::{Variables, open, process_variables};
pub use self::remote::{Remote, StoredPart};

/// Looks at a store at once.
const AT_ONCE: usize = 16;
/// How long a store may take to say that it is there.
const PING: Duration = Duration::from_secs(5);

/// Some stored objects: how many, and how large all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Files {
    pub count: u64,
    pub bytes: u64,
}

/// One stored object below a prefix.
#[derive(Clone, Debug)]
pub struct StoredObject {
    /// Behind the prefix.
    pub name: String,
    pub size: u64,
    pub written_at: DateTime<Utc>,
}

/// Free space of the disk the data is on.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    pub free: u64,
    pub total: u64,
}

impl Space {
    /// Of the disk that a directory is on.
    pub fn of(directory: &Path) -> std::io::Result<Self> {
        let stat = rustix::fs::statvfs(directory)?;
        Ok(Self { free: stat.f_bavail * stat.f_frsize, total: stat.f_blocks * stat.f_frsize })
    }
}

#[derive(Clone, Debug)]
pub struct Storage {
    store: Arc<dyn ObjectStore>,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    Disk(PathBuf),
    Remote(Arc<Remote>),
}

impl Storage {
    /// `disk`, `s3`, `gcs` or `azure`.
    pub fn kind(&self) -> &'static str {
        match &self.place {
            Place::Disk(_) => "disk",
            Place::Remote(remote) => remote.kind(),
        }
    }

    /// Where the objects are as files, if they are.
    pub fn directory(&self) -> Option<&Path> {
        match &self.place {
            Place::Disk(root) => Some(root),
            Place::Remote(_) => None,
        }
    }

    /// What only an object store can do; `None` for a disk.
    pub fn remote(&self) -> Option<&Remote> {
        match &self.place {
            Place::Disk(_) => None,
            Place::Remote(remote) => Some(remote),
        }
    }

    fn at(&self, path: &str) -> StorePath {
        match &self.place {
            Place::Disk(_) => path.into(),
            Place::Remote(remote) => remote.at(path),
        }
    }

    pub async fn put(&self, key: &ObjectKey, bytes: Bytes) -> Result<()> {
        match &self.place {
            Place::Disk(_) => self.store.put(&key.path().into(), bytes.into()).await.map(drop)?,
            Place::Remote(remote) => remote.put(&self.store, key, bytes).await?,
        }
        Ok(())
    }

    /// Moves a finished file of the staging area under its key, which names its content: an object of that name stays as it
    /// is. If the storage is a disk, it must be the file's.
    pub async fn adopt(&self, file: &Path, key: &ObjectKey) -> Result<()> {
        match &self.place {
            Place::Disk(root) => {
                let (file, target) = (file.to_owned(), root.join(key.path()));
                let adopted = tokio::task::spawn_blocking(move || disk::adopt(&file, &target));
                adopted.await.map_err(std::io::Error::other)??;
            }
            Place::Remote(remote) => {
                remote.send(&self.store, file, key).await?;
                tokio::fs::remove_file(file).await?;
            }
        }
        Ok(())
    }

    /// Puts a file of the staging area under its key and leaves it where it is too: until the database refers to
    /// the object, losing either of the two names loses nothing.
    pub async fn link(&self, file: &Path, key: &ObjectKey) -> Result<()> {
        match &self.place {
            Place::Disk(root) => {
                let (file, target) = (file.to_owned(), root.join(key.path()));
                let linked = tokio::task::spawn_blocking(move || disk::link(&file, &target));
                linked.await.map_err(std::io::Error::other)??;
                Ok(())
            }
            Place::Remote(remote) => remote.send(&self.store, file, key).await,
        }
    }

    pub async fn head(&self, key: &ObjectKey) -> object_store::Result<ObjectMeta> {
        self.store.head(&self.at(&key.path())).await
    }

    /// How large each of these is; `None` for one that is not there.
    pub async fn sizes(&self, keys: Vec<ObjectKey>) -> object_store::Result<Vec<Option<u64>>> {
        if let Place::Disk(root) = &self.place {
            // One task for all: handing each look to another thread takes longer than the look.
            let root = root.clone();
            let look = move || {
                keys.iter().map(|key| size_of(&root.join(key.path()))).collect::<std::io::Result<_>>()
            };
            return tokio::task::spawn_blocking(look).await.map_err(generic)?.map_err(generic);
        }
        let look = async |key: ObjectKey| Ok(unless_missing(self.head(&key).await)?.map(|meta| meta.size));
        futures::stream::iter(keys).map(look).buffered(AT_ONCE).try_collect().await
    }

    pub async fn get(&self, key: &ObjectKey) -> object_store::Result<Bytes> {
        self.store.get(&self.at(&key.path())).await?.bytes().await
    }

    /// The bytes of a range, or all, and what they are of, in one request.
    pub async fn read(&self, key: &ObjectKey, range: Option<GetRange>) -> object_store::Result<GetResult> {
        let options = GetOptions { range, ..GetOptions::default() };
        self.store.get_opts(&self.at(&key.path()), options).await
    }

    pub async fn stream(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> object_store::Result<BoxStream<'static, object_store::Result<Bytes>>> {
        Ok(self.read(key, range.map(GetRange::Bounded)).await?.into_stream())
    }

    /// Cheap on one disk (a hard link) and inside one object store.
    pub async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> object_store::Result<()> {
        self.store.copy(&self.at(&from.path()), &self.at(&to.path())).await
    }

    /// Removes everything below a prefix; what is gone already is fine. Returns how many objects went.
    pub async fn delete_prefix(&self, prefix: &str) -> object_store::Result<u64> {
        Ok(self.delete_below(prefix).await?.count)
    }

    /// The same, and how large they were.
    pub async fn delete_below(&self, prefix: &str) -> object_store::Result<Files> {
        let listed = self.store.list(Some(&self.at(prefix))).map_ok(|meta| (meta.location, meta.size));
        let sizes: HashMap<StorePath, u64> = listed.try_collect().await?;
        let objects: Vec<StorePath> = sizes.keys().cloned().collect();
        let mut deleted = self.store.delete_stream(futures::stream::iter(objects).map(Ok).boxed());
        let mut gone = Files::default();
        while let Some(object) = deleted.next().await {
            if let Some(path) = unless_missing(object)? {
                gone.count += 1;
                gone.bytes += sizes.get(&path).copied().unwrap_or(0);
            }
        }
        Ok(gone)
    }

    /// What there is below a prefix.
    pub async fn size_below(&self, prefix: &str) -> object_store::Result<Files> {
        let listed = self.store.list(Some(&self.at(prefix)));
        let add = |all: Files, meta: ObjectMeta| async move {
            Ok(Files { count: all.count + 1, bytes: all.bytes + meta.size })
        };
        listed.try_fold(Files::default(), add).await
    }

    pub async fn delete_key(&self, key: &ObjectKey) -> object_store::Result<bool> {
        let deleted = self.store.delete(&self.at(&key.path())).await;
        Ok(unless_missing(deleted)?.is_some())
    }

    /// Names of the directories directly below `prefix`.
    pub async fn directories(&self, prefix: &str) -> object_store::Result<Vec<String>> {
        let listed = self.store.list_with_delimiter(Some(&self.at(prefix))).await?;
        let name = |path: &StorePath| path.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(listed.common_prefixes.iter().filter_map(name).collect())
    }

    /// When the newest object below a prefix was written.
    pub async fn newest_below(&self, prefix: &str) -> object_store::Result<Option<DateTime<Utc>>> {
        let times = self.store.list(Some(&self.at(prefix))).map_ok(|meta| meta.last_modified);
        times.try_fold(None, |newest, time| async move { Ok(newest.max(Some(time))) }).await
    }

    /// Every object below a prefix, by its name behind it.
    pub async fn objects_below(&self, prefix: &str) -> object_store::Result<Vec<StoredObject>> {
        let root = self.at(prefix);
        let named = |meta: ObjectMeta| {
            let name = meta.location.as_ref().strip_prefix(root.as_ref())?.strip_prefix('/')?.to_owned();
            Some(StoredObject { name, size: meta.size, written_at: meta.last_modified })
        };
        let listed = self.store.list(Some(&root)).try_filter_map(|meta| std::future::ready(Ok(named(meta))));
        listed.try_collect().await
    }

    pub async fn count_below(&self, prefix: &str) -> usize {
        self.store.list(Some(&self.at(prefix))).count().await
    }

    /// The space on the disk; an object store reports no capacity limit.
    pub fn space(&self) -> std::io::Result<Option<Space>> {
        self.directory().map(Space::of).transpose()
    }

    /// Whether it is there now.
    pub async fn answers(&self) -> bool {
        match &self.place {
            Place::Disk(_) => self.space().is_ok(),
            Place::Remote(remote) => {
                let nothing = remote.at("probes/none");
                let asked = tokio::time::timeout(PING, self.store.head(&nothing)).await;
                matches!(asked, Ok(Ok(_) | Err(object_store::Error::NotFound { .. })))
            }
        }
    }
}

fn unless_missing<T>(result: object_store::Result<T>) -> object_store::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn size_of(path: &Path) -> std::io::Result<Option<u64>> {
    match path.metadata() {
        Ok(meta) => Ok(meta.is_file().then_some(meta.len())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn generic(error: impl std::error::Error + Send + Sync + 'static) -> object_store::Error {
    object_store::Error::Generic { store: "disk", source: Box::new(error) }
}
