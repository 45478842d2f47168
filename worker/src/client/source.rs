//! Fetches a source to the disk, goes on where it was cut off, and checks what arrived.

use std::io;
use std::path::Path;

use framefarm_shared::part::Sha256Hex;
use framefarm_shared::wire::worker_api::{ClaimedSource, HeldJob};
use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Method, Response, StatusCode};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};

use super::{Backoff, CallError, Client, send};

impl Client {
    /// Brings the source to `target`. What an earlier try left there is kept and continued; a file that turns out
    /// damaged is removed.
    pub async fn download_source(
        &self,
        job: HeldJob,
        source: &ClaimedSource,
        target: &Path,
        backoff: Backoff,
    ) -> Result<(), CallError> {
        let size = u64::try_from(source.size).unwrap_or(0);
        let mut copy = Copy::open(target).await?;
        let mut pauses = backoff.start();
        while copy.length < size {
            let before = copy.length;
            if let Err(error) = self.continue_source(job, &mut copy, size).await {
                if copy.length > before {
                    pauses.reset();
                }
                pauses.pause(error).await?;
            }
        }
        let (length, digest) = copy.finish().await?;
        if (length, digest.to_string()) == (size, source.sha256.to_ascii_lowercase()) {
            return Ok(());
        }
        tokio::fs::remove_file(target).await?;
        let detail = format!("{length} bytes with SHA-256 {digest} instead of {size} with {}", source.sha256);
        Err(CallError::Damaged(detail))
    }

    async fn continue_source(&self, job: HeldJob, copy: &mut Copy, size: u64) -> Result<(), CallError> {
        let mut request = self.fenced(Method::GET, &["jobs", &job.job_id.to_string(), "source"], job.fence);
        if copy.length > 0 {
            request = request.header(RANGE, format!("bytes={}-", copy.length));
        }
        let mut response = send(request).await?;
        if !continues_at(&response, copy.length) {
            copy.start_over().await?;
        }
        while let Some(bytes) = response.chunk().await? {
            copy.append(&bytes).await?;
            if copy.length > size {
                return Ok(());
            }
        }
        if copy.length < size {
            let detail = format!("the source ended after {} of {size} bytes", copy.length);
            return Err(CallError::TryAgain { detail, after: None });
        }
        Ok(())
    }
}

/// A server may answer a range with the whole file.
fn continues_at(response: &Response, offset: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
    match response.status() {
        StatusCode::PARTIAL_CONTENT => {
            range.is_some_and(|range| range.starts_with(&format!("bytes {offset}-")))
        }
        _ => offset == 0,
    }
}

/// The file so far, and the digest of what is in it.
struct Copy {
    file: File,
    hasher: Sha256,
    length: u64,
}

impl Copy {
    async fn open(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).open(path).await?;
        let mut copy = Self { file, hasher: Sha256::new(), length: 0 };
        let mut buffer = vec![0; 128 * 1024];
        while let count @ 1.. = copy.file.read(&mut buffer).await? {
            copy.hasher.update(&buffer[..count]);
            copy.length += count as u64;
        }
        Ok(copy)
    }

    async fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes).await?;
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    async fn start_over(&mut self) -> io::Result<()> {
        self.file.set_len(0).await?;
        self.file.rewind().await?;
        (self.hasher, self.length) = (Sha256::new(), 0);
        Ok(())
    }

    async fn finish(mut self) -> io::Result<(u64, Sha256Hex)> {
        self.file.flush().await?;
        Ok((self.length, Sha256Hex(self.hasher.finalize().into())))
    }
}
