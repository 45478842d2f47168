//! Sends parts, images and subtitles from the disk.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use framefarm_shared::part::Sha256Hex;
use framefarm_shared::wire::worker_api::{HeldJob, LeaseReply, PartReply};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE};
use reqwest::{Body, Method, RequestBuilder};
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncRead;

use super::{CallError, Client, Sent, call, stall};
use crate::part::PartArchive;

impl Client {
    /// Delivers a part. To send the same one twice is harmless.
    pub async fn put_part(&self, job: HeldJob, part: &PartArchive) -> Result<Sent<PartReply>, CallError> {
        let file = tokio::fs::File::open(&part.path).await?;
        let (id, first) = (job.job_id.to_string(), part.first_segment.to_string());
        let request = self
            .upload(job, &["jobs", &id, "qualities", &part.quality, "parts", &first])
            .header(CONTENT_TYPE, "application/gzip")
            .header("repr-digest", repr_digest(part.sha256));
        self.put(request, part.size, file).await
    }

    /// Delivers an image under a name of [`framefarm_shared::extra_file::ImageName`]: `poster.jpg`, `thumb_000.jpg`,
    /// `sprite_000.jpg`, `storyboard.vtt`. Another one of the same name replaces it.
    pub async fn put_image(
        &self,
        job: HeldJob,
        name: &str,
        path: &Path,
    ) -> Result<Sent<LeaseReply>, CallError> {
        let content_type = if name == "storyboard.vtt" { "text/vtt" } else { "image/jpeg" };
        self.put_file(job, ["images", name], content_type, path).await
    }

    /// Delivers the WebVTT of a subtitle track of the plan, counted from 0. Another one of the same track replaces it.
    pub async fn put_subtitle(
        &self,
        job: HeldJob,
        track: u32,
        path: &Path,
    ) -> Result<Sent<LeaseReply>, CallError> {
        self.put_file(job, ["subtitles", &track.to_string()], "text/vtt", path).await
    }

    /// The farm takes only small ones, so it is read whole.
    async fn put_file(
        &self,
        job: HeldJob,
        [directory, name]: [&str; 2],
        content_type: &str,
        path: &Path,
    ) -> Result<Sent<LeaseReply>, CallError> {
        let content = tokio::fs::read(path).await?;
        let request = self
            .upload(job, &["jobs", &job.job_id.to_string(), directory, name])
            .header(CONTENT_TYPE, content_type)
            .header("repr-digest", repr_digest(Sha256Hex(Sha256::digest(&content).into())));
        self.put(request, content.len() as u64, std::io::Cursor::new(content)).await
    }

    fn upload(&self, job: HeldJob, path: &[&str]) -> RequestBuilder {
        self.uploads.request(Method::PUT, self.fenced_url(path, job.fence, &[]))
    }

    /// May take as long as it takes, but not stand still.
    async fn put<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
        size: u64,
        content: impl AsyncRead + Send + 'static,
    ) -> Result<Sent<T>, CallError> {
        let (body, watchdog) = stall::watched(content, size, self.upload_limits);
        let request = request.header(CONTENT_LENGTH, size).body(Body::wrap_stream(body));
        tokio::select! {
            biased;
            answered = call(request) => answered,
            stalled = watchdog.expired() => Err(stalled),
        }
    }
}

/// RFC 9530.
fn repr_digest(digest: Sha256Hex) -> String {
    format!("sha-256=:{}:", STANDARD.encode(digest.0))
}
