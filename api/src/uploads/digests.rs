//! Running SHA-256 of each upload, so that the last bytes of a large file need not wait for all of it to be read.
//!
//! Only in memory, and only at the offset that the database counts; after a restart the file is read instead.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use framefarm_shared::id::UploadId;
use sha2::{Digest as _, Sha256};

#[derive(Default)]
pub(super) struct Digests(Mutex<HashMap<UploadId, (u64, Sha256)>>);

impl Digests {
    fn map(&self) -> MutexGuard<'_, HashMap<UploadId, (u64, Sha256)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The digest of the first `offset` bytes, if it is known.
    pub(super) fn at(&self, id: UploadId, offset: u64) -> Option<Sha256> {
        if offset == 0 {
            return Some(Sha256::new());
        }
        self.map().get(&id).filter(|(known, _)| *known == offset).map(|(_, state)| state.clone())
    }

    pub(super) fn set(&self, id: UploadId, offset: u64, state: Sha256) {
        self.map().insert(id, (offset, state));
    }

    pub(super) fn forget(&self, id: UploadId) {
        self.map().remove(&id);
    }
}

pub(super) fn finish(state: Sha256) -> [u8; 32] {
    state.finalize().into()
}

/// Reads a file of exactly `length` bytes; for a blocking thread.
pub(super) fn of_file(path: &Path, length: u64) -> io::Result<Sha256> {
    let mut file = std::fs::File::open(path)?.take(length);
    let mut state = Sha256::new();
    let read = io::copy(&mut file, &mut Feed(&mut state))?;
    if read < length {
        let text = format!("the staging file has {read} bytes of {length}");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
    }
    Ok(state)
}

struct Feed<'a>(&'a mut Sha256);

impl io::Write for Feed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
