//! Running SHA-256 of each upload, so that the last bytes of a large file need not wait for all of it to be read.
//!
//! For files of this disk only in memory, and only at the offset that the database counts; after a restart the file is
//! read instead. For parts in an object store the state is written down with the offset ([`save`]).

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use framefarm_shared::id::UploadId;
use sha2::digest::common::hazmat::{SerializableState as _, SerializedState};
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

pub fn finish(state: Sha256) -> [u8; 32] {
    state.finalize().into()
}

const LENGTH: usize = 32;

/// The state as bytes, behind the digest that it stands for and a seal over both.
pub fn save(state: &Sha256) -> Vec<u8> {
    let (digest, state) = (state.clone().finalize(), state.serialize());
    [&seal(&digest, &state)[..], &digest, &state].concat()
}

/// `None` if these bytes were damaged, or are not the state of that digest: another version of the program may write it
/// otherwise. Then the object is read instead.
pub fn restore(saved: &[u8]) -> Option<Sha256> {
    let (sealed, rest) = saved.split_at_checked(LENGTH)?;
    let (digest, state) = rest.split_at_checked(LENGTH)?;
    if seal(digest, state) != sealed {
        return None;
    }
    let state = SerializedState::<Sha256>::try_from(state).ok()?;
    let state = Sha256::deserialize(&state).ok()?;
    (state.clone().finalize()[..] == *digest).then_some(state)
}

fn seal(digest: &[u8], state: &[u8]) -> Vec<u8> {
    Sha256::new().chain_update(digest).chain_update(state).finalize().to_vec()
}

/// Reads a file of exactly `length` bytes; for a blocking thread.
pub(super) fn of_file(path: &Path, length: u64) -> io::Result<Sha256> {
    let mut file = std::fs::File::open(path)?.take(length);
    let mut state = Sha256::new();
    let read = io::copy(&mut file, &mut Feed(&mut state))?;
    if read < length {
        let text = format!("the staging file has only {read} of {length} bytes");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_goes_on_where_it_was_written_down() {
        let bytes: Vec<u8> = (0..1000_u32).map(|n| (n % 251) as u8).collect();
        for cut in [0, 1, 63, 64, 65, 999, 1000] {
            let mut first = Sha256::new();
            first.update(&bytes[..cut]);
            let mut second = restore(&save(&first)).expect("a state");
            second.update(&bytes[cut..]);
            assert_eq!(second.finalize(), Sha256::digest(&bytes), "{cut}");
        }
    }

    #[test]
    fn a_state_that_is_not_that_of_its_digest_is_none() {
        let saved = save(&Sha256::new_with_prefix(b"bytes"));
        for at in 0..saved.len() {
            let mut damaged = saved.clone();
            damaged[at] ^= 1;
            assert!(restore(&damaged).is_none(), "{at}");
        }
        assert!(restore(&saved[..saved.len() - 1]).is_none());
        assert!(restore(&[]).is_none());
    }
}
