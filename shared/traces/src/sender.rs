//! Batches on their way, by our own HTTP client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use tokio::runtime::Handle;

/// Whatever a collector answers, nobody reads more of it.
const MOST_ANSWER: usize = 64 * 1024;

/// The queue's thread calls it, which is none of the runtime's; the request itself runs there.
#[derive(Debug)]
pub(crate) struct Sender {
    client: Client,
    url: Url,
    runtime: Handle,
    /// The last batch did not arrive, and the log says so.
    failing: AtomicBool,
}

impl Sender {
    pub(crate) fn open(url: Url, patience: Duration) -> reqwest::Result<Self> {
        let client = Client::builder().timeout(patience).redirect(Policy::none()).build()?;
        Ok(Self { client, url, runtime: Handle::current(), failing: AtomicBool::new(false) })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Once when it begins and once when it is over, however many batches are lost in between.
    fn heed(&self, error: Option<&str>) {
        match error {
            Some(why) if !self.failing.swap(true, Ordering::Relaxed) => {
                tracing::warn!(collector = %self.url, why, "cannot send traces to the collector; dropping them until it accepts traces again");
            }
            None if self.failing.swap(false, Ordering::Relaxed) => {
                tracing::info!(collector = %self.url, "the collector accepts traces again");
            }
            _ => {}
        }
    }
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let call = self.client.post(self.url.clone()).headers(parts.headers).body(body);
        // Its task ends with the runtime, and this with its task.
        let answer = self.runtime.spawn(answer(call)).await?;
        match &answer {
            Ok(answer) if answer.status().is_success() => self.heed(None),
            Ok(answer) => self.heed(Some(&answer.status().to_string())),
            Err(error) => self.heed(Some(&words(error))),
        }
        Ok(answer?)
    }
}

async fn answer(call: reqwest::RequestBuilder) -> reqwest::Result<Response<Bytes>> {
    let mut response = call.send().await?;
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = response.status();
    *answer.headers_mut() = std::mem::take(response.headers_mut());
    // To its end, so that the connection can be used again.
    let mut read = 0;
    while let Some(chunk) = response.chunk().await? {
        read += chunk.len();
        if read > MOST_ANSWER {
            break;
        }
    }
    Ok(answer)
}

/// The reason, which reqwest keeps below what was tried.
fn words(error: &reqwest::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
