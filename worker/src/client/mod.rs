//! Every call of the worker API.
//!
//! `calls` has one function a call, `source` and `upload` move the bytes, `stall` notices when an upload does not move,
//! `error` says what to do about a failure, and `retry` does it where that is *try again*.

mod calls;
mod error;
mod retry;
mod secret;
mod source;
mod stall;
mod upload;

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

pub use calls::{Permission, register};
pub use error::CallError;
pub use retry::{Backoff, retry};
pub use secret::Secret;

pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a small call may take, and how much longer than its own wait a long poll may.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a transfer may stand still.
pub(crate) const STALL_TIMEOUT: Duration = Duration::from_mins(1);
/// How long the farm may take to answer after the connection took the last byte of an upload. Some of those bytes are
/// still in buffers on the way, and the farm checks and stores them before it answers.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(3);

/// When an upload is given up. There is no limit on its length: a slow line that moves is not an error.
#[derive(Clone, Copy, Debug)]
struct UploadLimits {
    stall: Duration,
    answer: Duration,
}

impl Default for UploadLimits {
    fn default() -> Self {
        Self { stall: STALL_TIMEOUT, answer: ANSWER_TIMEOUT }
    }
}

/// A reply and the moment its request was sent: a lease that it renews runs from there.
#[derive(Clone, Copy, Debug)]
pub struct Sent<T> {
    pub sent_at: Instant,
    pub reply: T,
}

/// The worker's end of the API. Cheap to clone; all clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    /// For other hosts than the farm: it carries no key.
    keyless: reqwest::Client,
    /// For uploads: a read timeout would count the time that the body takes.
    uploads: reqwest::Client,
    upload_limits: UploadLimits,
    api: Url,
}

impl Client {
    /// `api` is where the farm's pages are, with or without a path before `/api`.
    pub fn new(api: Url, key: &Secret) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, key.header("Bearer ")?);
        let (http, keyless) = (http_client(headers.clone())?, http_client(HeaderMap::new())?);
        let uploads = client_builder(headers).build()?;
        Ok(Self { http, keyless, uploads, upload_limits: UploadLimits::default(), api })
    }

    fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        self.http.request(method, url_of(&self.api, path))
    }

    /// For calls whose body is not JSON: they carry the fence in their address.
    fn fenced(&self, method: Method, path: &[&str], fence: i64) -> RequestBuilder {
        self.fenced_with(method, path, fence, &[])
    }

    fn fenced_with(
        &self,
        method: Method,
        path: &[&str],
        fence: i64,
        more: &[(&str, &str)],
    ) -> RequestBuilder {
        self.http.request(method, self.fenced_url(path, fence, more))
    }

    fn fenced_url(&self, path: &[&str], fence: i64, more: &[(&str, &str)]) -> Url {
        let mut url = url_of(&self.api, path);
        url.query_pairs_mut().append_pair("fence", &fence.to_string()).extend_pairs(more);
        url
    }
}

pub(crate) fn http_client(headers: HeaderMap) -> anyhow::Result<reqwest::Client> {
    Ok(client_builder(headers).read_timeout(STALL_TIMEOUT).build()?)
}

fn client_builder(headers: HeaderMap) -> reqwest::ClientBuilder {
    let agent = concat!("framefarm-worker/", env!("CARGO_PKG_VERSION"));
    let builder = reqwest::Client::builder().user_agent(agent).default_headers(headers);
    // A redirect would carry the key, or drop the body: better an error that names the status.
    builder.redirect(Policy::none()).connect_timeout(CONNECT_TIMEOUT)
}

/// `{api}/api/worker/{path}`; each segment is escaped.
fn url_of(api: &Url, path: &[&str]) -> Url {
    let mut url = api.clone();
    // Only URLs like `mailto:` have no segments, and the command line refuses those.
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(["api", "worker"]).extend(path);
    }
    url
}

/// Sends, and gives back the answer if it is a good one.
async fn send(request: RequestBuilder) -> Result<Response, CallError> {
    let response = request.send().await?;
    if response.status().is_success() { Ok(response) } else { Err(CallError::from_answer(response).await) }
}

async fn call<T: DeserializeOwned>(request: RequestBuilder) -> Result<Sent<T>, CallError> {
    let sent_at = Instant::now();
    let body = send(request).await?.bytes().await?;
    let reply = serde_json::from_slice(&body).map_err(|error| CallError::not_understood(&error))?;
    Ok(Sent { sent_at, reply })
}

#[cfg(test)]
mod tests;
