//! A SHA-256 over what passes by.

use std::io::{self, Read, Write};

use framefarm_shared::part::Sha256Hex;
use sha2::{Digest as _, Sha256};

/// Passes everything on and remembers how much it was, and its digest.
pub(crate) struct Hashed<T> {
    inner: T,
    hasher: Sha256,
    bytes: u64,
}

impl<T> Hashed<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, hasher: Sha256::new(), bytes: 0 }
    }

    pub(crate) fn finish(self) -> (T, u64, Sha256Hex) {
        (self.inner, self.bytes, Sha256Hex(self.hasher.finalize().into()))
    }

    fn passed(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.passed(&buffer[..count]);
        Ok(count)
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.passed(&buffer[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Size and digest of all that is left to read.
pub(crate) fn measure(reader: impl Read) -> io::Result<(u64, Sha256Hex)> {
    let mut hashed = Hashed::new(reader);
    io::copy(&mut hashed, &mut io::sink())?;
    let (_, bytes, digest) = hashed.finish();
    Ok((bytes, digest))
}
