//! The strict subset of tar a part is written in: plain headers, regular files, names from the grammar.
//!
//! The headers are read one by one rather than through `tar::Archive`, which skips padding unseen and takes a missing
//! end marker for an end. Every extension (PAX, GNU long names, sparse files) is refused, so there is only one place a
//! size can stand and no second reading of the same bytes.

use std::io::Read;

use tar::Header;

use super::header::{Entry, accept, is_zero};
use super::inflate::Inflate;
use super::{PartError, PartLimits};

const BLOCK: usize = 512;
/// Writers fill the last record with zeros; GNU tar's records are 10 KiB, none in use is larger than this.
const MAX_PADDING: usize = 64 << 10;

pub(super) struct Tar<'a, R> {
    inflate: Inflate<'a, R>,
    /// Content bytes of the current entry that were not read yet.
    remaining: u64,
    /// Zeros between that content and the next header.
    padding: usize,
}

impl<'a, R: Read> Tar<'a, R> {
    pub(super) fn new(archive: &'a mut R, limits: &'a PartLimits) -> Self {
        Self { inflate: Inflate::new(archive, limits), remaining: 0, padding: 0 }
    }

    /// The next header, or `None` at the end marker.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, PartError> {
        if self.remaining != 0 {
            return Err(PartError::BadTar { reason: "an entry was not read to the end" });
        }
        self.skip_padding()?;
        let mut header = Header::new_old();
        self.inflate.fill(header.as_mut_bytes())?;
        if is_zero(header.as_bytes()) {
            return Ok(None);
        }
        let entry = accept(&header)?;
        self.remaining = entry.size;
        let tail = usize::try_from(entry.size % BLOCK as u64).unwrap_or(0);
        self.padding = (BLOCK - tail) % BLOCK;
        Ok(Some(entry))
    }

    /// Reads content of the current entry; 0 is its end.
    pub(super) fn read(&mut self, buf: &mut [u8]) -> Result<usize, PartError> {
        let wanted = usize::try_from(self.remaining).map_or(buf.len(), |left| left.min(buf.len()));
        let buf = buf.get_mut(..wanted).unwrap_or_default();
        if buf.is_empty() {
            return Ok(0);
        }
        let read = self.inflate.read(buf)?;
        if read == 0 {
            return Err(PartError::Truncated);
        }
        self.remaining = self.remaining.saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }

    /// Checks the rest of the archive after the end marker's first block.
    pub(super) fn finish(mut self) -> Result<(), PartError> {
        let mut block = [0; BLOCK];
        self.inflate.fill(&mut block)?;
        let mut padding = 0;
        let mut zeros = is_zero(&block);
        loop {
            if !zeros || padding > MAX_PADDING {
                return Err(PartError::TrailingData);
            }
            let read = self.inflate.read(&mut block)?;
            if read == 0 {
                return self.inflate.finish();
            }
            padding = padding.saturating_add(read);
            zeros = block.get(..read).is_some_and(is_zero);
        }
    }

    fn skip_padding(&mut self) -> Result<(), PartError> {
        let mut block = [0; BLOCK];
        let padding = block.get_mut(..self.padding).unwrap_or_default();
        self.inflate.fill(padding)?;
        self.padding = 0;
        if is_zero(padding) {
            Ok(())
        } else {
            Err(PartError::BadTar { reason: "the padding of an entry is not zero" })
        }
    }
}
