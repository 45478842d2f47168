//! One tar header: the only place where a name, a type or a size can stand.

use framefarm_shared::part::PartFile;
use tar::{EntryType, Header};

use super::PartError;
use super::error::quoted;

/// One accepted header. Its content must be read to the end before the next header.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) file: PartFile,
    pub(super) size: u64,
}

/// Checks one header that is not all zeros.
pub(super) fn accept(header: &Header) -> Result<Entry, PartError> {
    check_sum(header)?;
    check_type(header)?;
    let file = file_of(header)?;
    let [size_mark, ..] = header.as_old().size;
    if size_mark & 0x80 != 0 {
        return Err(PartError::TooBig {
            what: "an entry with a base-256 size field",
            limit: 0o777_7777_7777,
        });
    }
    let size =
        header.entry_size().map_err(|_| PartError::BadTar { reason: "a size is not an octal number" })?;
    Ok(Entry { file, size })
}

fn check_sum(header: &Header) -> Result<(), PartError> {
    let stored = &header.as_old().cksum;
    let all: u32 = header.as_bytes().iter().copied().map(u32::from).sum();
    let field: u32 = stored.iter().copied().map(u32::from).sum();
    let blank = u32::from(b' ') * 8;
    let computed = all.checked_sub(field).and_then(|sum| sum.checked_add(blank));
    if header.cksum().ok() == computed {
        Ok(())
    } else {
        Err(PartError::BadTar { reason: "a header's checksum is wrong" })
    }
}

fn check_type(header: &Header) -> Result<(), PartError> {
    let kind = match header.entry_type() {
        EntryType::Regular => return Ok(()),
        EntryType::XHeader => return Err(PartError::TarExtension { kind: "PAX header" }),
        EntryType::XGlobalHeader => {
            return Err(PartError::TarExtension { kind: "global PAX header" });
        }
        EntryType::GNULongName => {
            return Err(PartError::TarExtension { kind: "GNU long name" });
        }
        EntryType::GNULongLink => {
            return Err(PartError::TarExtension { kind: "GNU long link" });
        }
        EntryType::Link => "hard link",
        EntryType::Symlink => "symbolic link",
        EntryType::Char => "character device",
        EntryType::Block => "block device",
        EntryType::Directory => "directory",
        EntryType::Fifo => "fifo",
        EntryType::GNUSparse => "sparse file",
        _ => "file of an unknown type",
    };
    let name = quoted(&String::from_utf8_lossy(&header.path_bytes()));
    Err(PartError::NotAFile { name, kind })
}

fn file_of(header: &Header) -> Result<PartFile, PartError> {
    let field = &header.as_old().name;
    let length = field.iter().position(|b| *b == 0).unwrap_or(field.len());
    let (name, rest) = field.split_at_checked(length).unwrap_or((field, &[]));
    let prefixed = header.as_ustar().is_some_and(|ustar| !is_zero(&ustar.prefix));
    // What stands behind a NUL is invisible to some readers and part of the name to others.
    let file = if prefixed || !is_zero(rest) {
        None
    } else {
        str::from_utf8(name).ok().and_then(|name| name.parse().ok())
    };
    file.ok_or_else(|| {
        let shown = if is_zero(rest) { name } else { field };
        PartError::BadName { name: quoted(&String::from_utf8_lossy(shown)) }
    })
}

pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| *b == 0)
}
