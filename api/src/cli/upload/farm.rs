//! The farm as an uploader sees it: requests with a token, answers that say what went wrong.

use std::time::Duration;

use anyhow::Context;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::Value;
use tokio::time::sleep;

/// A large file is hashed before its last byte is answered.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);
/// So many failures in a row are taken for a hiccup; the pauses between them double up to half a minute.
const TRIES: u32 = 10;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(super) struct Farm {
    http: Client,
    api: Url,
}

/// Why a request was not answered well.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    /// The same request would fail again.
    #[error("{0}")]
    Refused(String),
    /// It may work in a moment.
    #[error("{0}")]
    Hiccup(String),
}

impl Farm {
    pub(super) fn new(api: Url, token: &str) -> anyhow::Result<Self> {
        let mut bearer = HeaderValue::try_from(format!("Bearer {token}"))
            .context("the token holds characters that no header can carry")?;
        bearer.set_sensitive(true);
        let headers = HeaderMap::from_iter([(AUTHORIZATION, bearer)]);
        let http = Client::builder()
            .default_headers(headers)
            .connect_timeout(Duration::from_secs(10))
            .read_timeout(ANSWER_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { http, api })
    }

    /// An address of the farm, which may live below a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.api.as_str().trim_end_matches('/'))
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path))
    }
}

/// Sends, and gives back the answer if it is a good one.
pub(super) async fn answer(request: RequestBuilder) -> Result<Response, Trouble> {
    let response = request.send().await.map_err(|error| Trouble::Hiccup(chain(&error)))?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body = response.bytes().await.unwrap_or_default();
    let problem: Value = serde_json::from_slice(&body).unwrap_or_default();
    let detail = problem["detail"].as_str().map_or_else(|| not_of_the_farm(status), ToOwned::to_owned);
    Err(match status.as_u16() {
        401 | 403 => Trouble::Refused(format!("{detail} The token needs the scope `upload`.")),
        // Another offset, another holder: the upload's state tells how to go on.
        408 | 409 | 423 | 425 | 429 | 460 => Trouble::Hiccup(detail),
        _ if status.is_server_error() && status != StatusCode::INSUFFICIENT_STORAGE => {
            Trouble::Hiccup(detail)
        }
        _ => Trouble::Refused(detail),
    })
}

/// The farm explains what it refuses; this answer came from something in between.
fn not_of_the_farm(status: StatusCode) -> String {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => format!(
            "{status}: a proxy in front of the farm takes no pieces of {} MiB; raise its limit (nginx: \
             `client_max_body_size 0;`).",
            super::send::CHUNK / (1024 * 1024)
        ),
        _ => status.to_string(),
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// How often it went wrong in a row.
#[derive(Default)]
pub(super) struct Patience(u32);

impl Patience {
    pub(super) fn renew(&mut self) {
        self.0 = 0;
    }

    /// Waits a little if trying again can help, and gives the trouble back if not.
    pub(super) async fn pause(&mut self, trouble: Trouble) -> Result<(), Trouble> {
        self.0 += 1;
        if matches!(trouble, Trouble::Refused(_)) || self.0 >= TRIES {
            return Err(trouble);
        }
        let pause = Duration::from_millis(250 << self.0).min(LONGEST_PAUSE);
        sleep(pause.mul_f64(rand::random_range(0.5..=1.0))).await;
        Ok(())
    }
}
