//! Bytes of unfinished uploads: one file each in the staging directory of the data disk.
//!
//! A file may be longer than what the database counts, never shorter: bytes are synced before they are counted, and
//! what lies beyond the count is cut off when the file is opened again.

pub mod digests;
pub mod file_type;
pub mod incoming;
mod lock;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use framefarm_shared::id::UploadId;
use tokio::sync::{Mutex, MutexGuard};

pub use self::lock::Held;
pub use self::writer::Writer;
use crate::db::{Db, uploads};
use crate::error::Result;

pub struct Uploads {
    root: PathBuf,
    locks: lock::Locks,
    digests: digests::Digests,
    admission: Mutex<()>,
}

impl Uploads {
    pub fn open(root: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(root)?;
        Ok(Self {
            root: root.to_owned(),
            locks: lock::Locks::default(),
            digests: digests::Digests::default(),
            admission: Mutex::default(),
        })
    }

    /// The staging file. Its name is an id of ours; nothing a client says becomes part of a path.
    pub fn path(&self, id: UploadId) -> PathBuf {
        self.root.join(id.to_string())
    }

    /// One at a time asks for space and has it counted, so that two cannot be promised the same bytes.
    pub async fn admission(&self) -> MutexGuard<'_, ()> {
        self.admission.lock().await
    }

    /// The only right to change an upload. Whoever has it is asked to let go; 423 if they do not soon.
    pub async fn hold(&self, id: UploadId) -> Result<Held> {
        self.locks.hold(id).await
    }

    /// The same for somebody who can come again later.
    pub fn hold_if_free(&self, id: UploadId) -> Option<Held> {
        self.locks.hold_if_free(id)
    }

    /// Opens the staging file to append at `offset`, the count of the database.
    pub async fn writer(&self, id: UploadId, offset: u64) -> io::Result<Writer> {
        Writer::open(&self.path(id), offset, self.digests.at(id, offset)).await
    }

    /// To be told after the database has counted what the writer synced.
    pub fn counted(&self, id: UploadId, writer: &Writer) {
        if let Some(state) = writer.digest() {
            self.digests.set(id, writer.position(), state);
        }
    }

    /// SHA-256 of the whole file: the running one, or the file is read (after a restart).
    pub async fn sha256(&self, id: UploadId, length: u64) -> Result<[u8; 32]> {
        if let Some(state) = self.digests.at(id, length) {
            return Ok(digests::finish(state));
        }
        let path = self.path(id);
        let state = tokio::task::spawn_blocking(move || digests::of_file(&path, length)).await??;
        self.digests.set(id, length, state.clone());
        Ok(digests::finish(state))
    }

    pub async fn remove(&self, id: UploadId) -> io::Result<()> {
        self.digests.forget(id);
        match tokio::fs::remove_file(self.path(id)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The same where nothing can wait; what stays is swept.
    pub fn discard(&self, id: UploadId) {
        self.digests.forget(id);
        let _ = std::fs::remove_file(self.path(id));
    }

    /// Staging files that no row refers to and that nobody has written since, with their sizes.
    pub async fn forsaken(&self, db: &Db, older_than: DateTime<Utc>) -> Result<Vec<(UploadId, u64)>> {
        let mut files = tokio::fs::read_dir(&self.root).await?;
        let mut found = Vec::new();
        while let Some(file) = files.next_entry().await? {
            let Some(id) = file.file_name().to_str().and_then(|name| name.parse::<UploadId>().ok()) else {
                continue;
            };
            let Ok(meta) = file.metadata().await else { continue };
            let Ok(written) = meta.modified() else { continue };
            if DateTime::<Utc>::from(written) < older_than && uploads::get(db, id).await?.is_none() {
                found.push((id, meta.len()));
            }
        }
        Ok(found)
    }
}
