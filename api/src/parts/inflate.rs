//! The delivered bytes, unzipped under all byte limits at once.
//!
//! Exactly one gzip member is read. Every byte that comes out was counted against the limits first, so nothing
//! downstream needs to fear a bomb.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use super::{PartError, PartLimits};

/// Below this many unpacked bytes the ratio says nothing: tar padding alone compresses a thousandfold.
const RATIO_GRACE: u64 = 1 << 20;

pub(super) struct Inflate<'a, R> {
    gzip: GzDecoder<BufReader<Delivery<'a, R>>>,
    limits: &'a PartLimits,
    unpacked: u64,
}

impl<'a, R: Read> Inflate<'a, R> {
    pub(super) fn new(archive: &'a mut R, limits: &'a PartLimits) -> Self {
        let delivery = Delivery { archive, limit: limits.max_archive_bytes, delivered: 0, error: None };
        Self { gzip: GzDecoder::new(BufReader::with_capacity(32 << 10, delivery)), limits, unpacked: 0 }
    }

    /// Reads some bytes; 0 is the verified end of the gzip member.
    pub(super) fn read(&mut self, buf: &mut [u8]) -> Result<usize, PartError> {
        let read = loop {
            match self.gzip.read(buf) {
                Ok(read) => break read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.explain(&error)),
            }
        };
        self.unpacked = self.unpacked.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        if self.unpacked > self.limits.max_unpacked_bytes {
            return Err(PartError::TooBig {
                what: "the unpacked archive",
                limit: self.limits.max_unpacked_bytes,
            });
        }
        let allowed = self.consumed().saturating_mul(self.limits.max_ratio);
        if self.unpacked > allowed.max(RATIO_GRACE) {
            return Err(PartError::Ratio { limit: self.limits.max_ratio });
        }
        Ok(read)
    }

    /// Fills `buf`; an end before that is a truncated part.
    pub(super) fn fill(&mut self, mut buf: &mut [u8]) -> Result<(), PartError> {
        while !buf.is_empty() {
            match self.read(buf)? {
                0 => return Err(PartError::Truncated),
                read => buf = buf.get_mut(read..).unwrap_or_default(),
            }
        }
        Ok(())
    }

    /// Refuses anything behind the gzip member.
    pub(super) fn finish(mut self) -> Result<(), PartError> {
        match self.gzip.get_mut().fill_buf() {
            Ok([]) => Ok(()),
            Ok(_) => Err(PartError::TrailingData),
            Err(error) => Err(self.explain(&error)),
        }
    }

    /// Compressed bytes the decoder took, without what only waits in the buffer.
    fn consumed(&self) -> u64 {
        let buffer = self.gzip.get_ref();
        let waiting = u64::try_from(buffer.buffer().len()).unwrap_or(u64::MAX);
        buffer.get_ref().delivered.saturating_sub(waiting)
    }

    fn explain(&mut self, error: &io::Error) -> PartError {
        if let Some(own) = self.gzip.get_mut().get_mut().error.take() {
            return own;
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => PartError::Truncated,
            _ => PartError::BadGzip,
        }
    }
}

/// The caller's reader, counted. Its own errors are kept apart from those of the decoder.
struct Delivery<'a, R> {
    archive: &'a mut R,
    limit: u64,
    delivered: u64,
    error: Option<PartError>,
}

impl<R: Read> Read for Delivery<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let error = match self.archive.read(buf) {
            Ok(read) => {
                self.delivered = self.delivered.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
                if self.delivered <= self.limit {
                    return Ok(read);
                }
                PartError::TooBig { what: "the archive", limit: self.limit }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => PartError::Read(error),
        };
        self.error = Some(error);
        Err(io::ErrorKind::Other.into())
    }
}
