//! One entry of the archive onto the disk, hashed on its way.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use framefarm_shared::part::{PartFile, Sha256Hex};
use sha2::{Digest, Sha256};

use super::PartError;
use super::archive::Tar;
use super::header::Entry;

const CHUNK: usize = 64 << 10;
/// The mode of every unpacked file, whatever the archive or the umask says.
const MODE: u32 = 0o644;

/// A file whose size and digest are the ones the manifest promised. Its content was not looked at yet.
#[derive(Debug)]
pub(super) struct Unpacked {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) sha256: [u8; 32],
}

/// What the manifest promises about one file, and the most it may ever be.
pub(super) struct Promise {
    pub(super) size: u64,
    pub(super) sha256: Sha256Hex,
    pub(super) max_bytes: u64,
}

/// Writes the current entry into `scratch` under a name of our own.
pub(super) fn unpack<R: Read>(
    tar: &mut Tar<'_, R>,
    entry: &Entry,
    promise: &Promise,
    scratch: &Path,
) -> Result<Unpacked, PartError> {
    let name = entry.file;
    if entry.size > promise.max_bytes {
        return Err(PartError::TooBig { what: "a file in the archive", limit: promise.max_bytes });
    }
    if entry.size != promise.size {
        return Err(PartError::SizeMismatch { name, expected: promise.size, found: entry.size });
    }
    let path = scratch.join(own_name(name));
    let mut file = create(&path).map_err(PartError::Scratch)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = tar.read(&mut chunk)?;
        let Some(bytes @ [_, ..]) = chunk.get(..read) else {
            break;
        };
        hasher.update(bytes);
        file.write_all(bytes).map_err(PartError::Scratch)?;
    }
    let sha256: [u8; 32] = hasher.finalize().into();
    if sha256 != promise.sha256.0 {
        return Err(PartError::HashMismatch { name });
    }
    Ok(Unpacked { file, path, size: entry.size, sha256 })
}

fn own_name(file: PartFile) -> String {
    match file {
        PartFile::Manifest => "manifest".to_owned(),
        PartFile::Init => "init".to_owned(),
        PartFile::Segment(index) => format!("segment-{index}"),
    }
}

fn create(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(MODE).open(path)?;
    file.set_permissions(Permissions::from_mode(MODE))?;
    Ok(file)
}
