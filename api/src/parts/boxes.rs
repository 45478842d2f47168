//! The skeleton of an MP4 file: box headers and nothing else.
//!
//! Containers are walked here, level by level and by name, and only leaves go to `mp4_atom`. Its own container decoders
//! recurse into whatever they find, and a few hundred boxes nested in each other would exhaust the stack.

use std::fmt::Display;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use mp4_atom::{Atom, Buf, FourCC};

use super::file_error::FileError;
use super::unpack::Unpacked;

/// A box header. `body` and `end` count from where the header starts.
#[derive(Debug, Clone, Copy)]
struct BoxHeader {
    kind: FourCC,
    body: u64,
    end: u64,
}

impl BoxHeader {
    /// Reads a header from `bytes`, of a box that may be at most `available` bytes long.
    fn parse(bytes: &[u8], available: u64) -> Result<Self, FileError> {
        let (size, rest) = bytes.split_first_chunk::<4>().ok_or_else(cut)?;
        let (kind, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let kind = FourCC::from(*kind);
        let (body, end) = match u32::from_be_bytes(*size) {
            0 => return Err(FileError::media(format!("{} has no size", shown(kind)))),
            1 => {
                let (large, _) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
                (16, u64::from_be_bytes(*large))
            }
            size => (8, u64::from(size)),
        };
        if end < body || end > available {
            let kind = shown(kind);
            return Err(FileError::media(format!("the size of {kind} is invalid")));
        }
        Ok(Self { kind, body, end })
    }
}

fn cut() -> FileError {
    FileError::media("a box header is cut off")
}

/// A box type fit to print.
pub(super) fn shown(kind: FourCC) -> impl Display {
    let bytes: [u8; 4] = kind.into();
    bytes.escape_ascii().to_string()
}

/// A box of the outermost level of a file, as offsets into it.
#[derive(Debug, Clone)]
pub(super) struct FileBox {
    pub(super) kind: FourCC,
    pub(super) start: u64,
    pub(super) body: Range<u64>,
}

impl FileBox {
    /// The whole file as if it were the body of a box.
    pub(super) fn whole(unpacked: &Unpacked) -> Self {
        Self { kind: FourCC::new(b"file"), start: 0, body: 0..unpacked.size }
    }

    /// The box that starts at `start`, or `None` at the end of the file.
    pub(super) fn at(unpacked: &Unpacked, start: u64) -> Result<Option<Self>, FileError> {
        let available = unpacked.size.saturating_sub(start);
        if available == 0 {
            return Ok(None);
        }
        let mut bytes = [0; 16];
        let wanted = usize::try_from(available).map_or(bytes.len(), |left| left.min(bytes.len()));
        let bytes = bytes.get_mut(..wanted).unwrap_or_default();
        unpacked.file.read_exact_at(bytes, start).map_err(FileError::Scratch)?;
        let header = BoxHeader::parse(bytes, available)?;
        let from_start =
            |offset: u64| start.checked_add(offset).ok_or_else(|| FileError::media("a box size overflows"));
        Ok(Some(Self { kind: header.kind, start, body: from_start(header.body)?..from_start(header.end)? }))
    }

    /// Reads the body, which may be at most `limit` bytes.
    pub(super) fn read(&self, unpacked: &Unpacked, limit: usize) -> Result<Vec<u8>, FileError> {
        let length = self.body.end.saturating_sub(self.body.start);
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= limit)
            .ok_or_else(|| FileError::media(format!("{} exceeds {limit} bytes", shown(self.kind))))?;
        let mut bytes = vec![0; length];
        unpacked.file.read_exact_at(&mut bytes, self.body.start).map_err(FileError::Scratch)?;
        Ok(bytes)
    }
}

/// The boxes one level down in `container`.
pub(super) fn children(container: &[u8]) -> impl Iterator<Item = Result<(FourCC, &[u8]), FileError>> {
    let mut rest = container;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let child = split(rest);
        rest = child.as_ref().map_or(&[], |(_, _, rest)| rest);
        Some(child.map(|(kind, body, _)| (kind, body)))
    })
}

fn split(bytes: &[u8]) -> Result<(FourCC, &[u8], &[u8]), FileError> {
    let header = BoxHeader::parse(bytes, u64::try_from(bytes.len()).unwrap_or(0))?;
    let end = usize::try_from(header.end).map_err(|_| cut())?;
    let start = usize::try_from(header.body).map_err(|_| cut())?;
    let (whole, rest) = bytes.split_at_checked(end).ok_or_else(cut)?;
    let body = whole.get(start..).ok_or_else(cut)?;
    Ok((header.kind, body, rest))
}

/// The body of the only `kind` in `container`.
pub(super) fn only(container: &[u8], kind: [u8; 4]) -> Result<&[u8], FileError> {
    let kind = FourCC::from(kind);
    let mut found = None;
    for child in children(container) {
        let (child, body) = child?;
        if child == kind && found.replace(body).is_some() {
            return Err(FileError::media(format!("there is more than one {kind}")));
        }
    }
    found.ok_or_else(|| FileError::media(format!("there is no {kind}")))
}

/// Decodes a box without boxes in it.
pub(super) fn leaf<T: Atom>(body: &[u8]) -> Result<T, FileError> {
    let mut rest = body;
    let atom = T::decode_body(&mut rest)
        .map_err(|error| FileError::media(format!("{} cannot be read: {error}", T::KIND)))?;
    if rest.has_remaining() {
        return Err(FileError::media(format!("{} is too long", T::KIND)));
    }
    Ok(atom)
}

/// The only `T` in `container`, decoded.
pub(super) fn only_leaf<T: Atom>(container: &[u8]) -> Result<T, FileError> {
    leaf(only(container, T::KIND.into())?)
}
