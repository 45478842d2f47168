//! Sends a part from the disk.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use framefarm_shared::part::Sha256Hex;
use framefarm_shared::wire::worker_api::{HeldJob, PartReply};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE};
use reqwest::{Body, Method};
use tokio_util::io::ReaderStream;

use super::{CallError, Client, STALL_TIMEOUT, Sent, call};
use crate::part::PartArchive;

/// Slower than this and something is wrong with the line.
const SLOWEST_BYTES_PER_SECOND: u64 = 32 * 1024;

impl Client {
    /// Delivers a part. To send the same one twice is harmless.
    pub async fn put_part(&self, job: HeldJob, part: &PartArchive) -> Result<Sent<PartReply>, CallError> {
        let file = tokio::fs::File::open(&part.path).await?;
        let (id, first) = (job.job_id.to_string(), part.first_segment.to_string());
        let request = self
            .fenced(Method::PUT, &["jobs", &id, "qualities", &part.quality, "parts", &first], job.fence)
            .header(CONTENT_TYPE, "application/gzip")
            .header(CONTENT_LENGTH, part.size)
            .header("repr-digest", repr_digest(part.sha256))
            .timeout(STALL_TIMEOUT + Duration::from_secs(part.size / SLOWEST_BYTES_PER_SECOND))
            .body(Body::wrap_stream(ReaderStream::with_capacity(file, 64 * 1024)));
        call(request).await
    }
}

/// RFC 9530.
fn repr_digest(digest: Sha256Hex) -> String {
    format!("sha-256=:{}:", STANDARD.encode(digest.0))
}
