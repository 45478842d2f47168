//! Fetches a source to the disk, goes on where it was cut off, and checks what arrived.
//!
//! The farm may answer with a link to its object store. That is followed without the key, which is the farm's alone;
//! a link that does not work, because it expired or that host cannot be reached from here, sends us back to the farm.

use std::io;
use std::path::Path;

use framefarm_shared::part::Sha256Hex;
use framefarm_shared::wire::worker_api::{ClaimedSource, HeldJob};
use reqwest::header::{CONTENT_RANGE, LOCATION, RANGE};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};

use super::{Backoff, CallError, Client};

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
        let mut vain_links = 0;
        while copy.length < size {
            let before = copy.length;
            let way = if vain_links < VAIN_LINKS { Way::LinkOrFarm } else { Way::Farm };
            match self.continue_source(job, &mut copy, size, way).await {
                Ok(()) => {}
                Err(Cut { error, by_link }) => {
                    if copy.length > before {
                        pauses.reset();
                        vain_links = 0;
                    } else if by_link {
                        vain_links += 1;
                    }
                    pauses.pause(error).await?;
                }
            }
        }
        let (length, digest) = copy.finish().await?;
        if (length, digest.to_string()) == (size, source.sha256.to_ascii_lowercase()) {
            return Ok(());
        }
        tokio::fs::remove_file(target).await?;
        let detail =
            format!("got {length} bytes with SHA-256 {digest}, expected {size} bytes with {}", source.sha256);
        Err(CallError::Damaged(detail))
    }

    async fn continue_source(&self, job: HeldJob, copy: &mut Copy, size: u64, way: Way) -> Result<(), Cut> {
        let path = ["jobs", &job.job_id.to_string(), "source"];
        let request = match way {
            Way::LinkOrFarm => self.fenced_with(Method::GET, &path, job.fence, &[("link", "true")]),
            Way::Farm => self.fenced(Method::GET, &path, job.fence),
        };
        let response = from(copy.length, request).send().await.map_err(CallError::from)?;
        match link_in(&response, way)? {
            Some(link) => {
                let answer = self.follow(link, copy.length).await;
                let read = match answer {
                    Ok(response) => copy.read(response, size).await,
                    Err(error) => Err(error),
                };
                read.map_err(|error| Cut { error, by_link: true })
            }
            None if response.status().is_success() => Ok(copy.read(response, size).await?),
            None => Err(CallError::from_answer(response).await.into()),
        }
    }

    /// Whatever the other host says is no word of the farm: it ends no job.
    async fn follow(&self, link: Url, offset: u64) -> Result<Response, CallError> {
        let sent = from(offset, self.keyless.get(link)).send().await;
        // The address is as good as a key.
        let response = sent.map_err(|error| CallError::from(error.without_url()))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let detail = format!("the download link returned {status}");
        Err(CallError::TryAgain { detail, after: None })
    }
}

/// So many links in a row may bring nothing.
const VAIN_LINKS: u32 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    LinkOrFarm,
    Farm,
}

/// Why a transfer ended before its end.
struct Cut {
    error: CallError,
    by_link: bool,
}

impl From<CallError> for Cut {
    fn from(error: CallError) -> Self {
        Self { error, by_link: false }
    }
}

fn from(offset: u64, request: RequestBuilder) -> RequestBuilder {
    if offset > 0 { request.header(RANGE, format!("bytes={offset}-")) } else { request }
}

/// Where the farm sends us instead of the bytes.
fn link_in(response: &Response, way: Way) -> Result<Option<Url>, CallError> {
    if way == Way::Farm || response.status() != StatusCode::TEMPORARY_REDIRECT {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    match location.and_then(|text| Url::parse(text).ok()) {
        Some(url) if matches!(url.scheme(), "http" | "https") => Ok(Some(url)),
        _ => {
            let detail = "the farm sent an invalid download link".to_owned();
            Err(CallError::Refused { code: "bad_link".to_owned(), detail })
        }
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

    /// Takes what an answer brings.
    async fn read(&mut self, mut response: Response, size: u64) -> Result<(), CallError> {
        if !continues_at(&response, self.length) {
            self.start_over().await?;
        }
        while let Some(bytes) = response.chunk().await.map_err(reqwest::Error::without_url)? {
            self.append(&bytes).await?;
            if self.length > size {
                return Ok(());
            }
        }
        if self.length < size {
            let detail = format!("the download ended after {} of {size} bytes", self.length);
            return Err(CallError::TryAgain { detail, after: None });
        }
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
