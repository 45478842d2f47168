//! Appends to a staging file.

use std::io::{self, SeekFrom};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _, BufWriter};

/// Network chunks are small; the disk gets them in pieces of this size.
const BUFFER: usize = 512 * 1024;

pub struct Writer {
    file: BufWriter<File>,
    position: u64,
    digest: Option<Sha256>,
}

impl Writer {
    /// Cuts the file to `offset`: what lies behind it was never counted.
    pub(super) async fn open(path: &Path, offset: u64, digest: Option<Sha256>) -> io::Result<Self> {
        let mut file = OpenOptions::new().write(true).create(offset == 0).truncate(false).open(path).await?;
        let length = file.metadata().await?.len();
        if length < offset {
            let text = format!("the staging file has {length} bytes, but {offset} were counted");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        if length > offset {
            file.set_len(offset).await?;
        }
        file.seek(SeekFrom::Start(offset)).await?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), position: offset, digest })
    }

    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes).await?;
        self.position += bytes.len() as u64;
        if let Some(digest) = &mut self.digest {
            digest.update(bytes);
        }
        Ok(())
    }

    /// After this, everything written so far survives a power cut.
    pub async fn sync(&mut self) -> io::Result<()> {
        self.file.flush().await?;
        self.file.get_ref().sync_data().await
    }

    /// Waits for the write that is still under way, whatever becomes of it. Without this it could land in the file
    /// after the next writer has cut and continued it.
    pub async fn settle(mut self) {
        let _ = self.file.get_mut().flush().await;
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    /// SHA-256 of everything up to the position, if it was known from the start.
    pub fn digest(&self) -> Option<Sha256> {
        self.digest.clone()
    }
}
