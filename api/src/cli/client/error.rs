//! Why a request was not answered well, in the farm's own words where it has some.

use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Deserialize;

use crate::auth::Scope;
use crate::cli::exit::Exit;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// No answer, or one that broke off.
    #[error("cannot reach {url}: {why}")]
    Unreachable { url: String, why: String },
    /// The farm, or something in front of it, said no.
    #[error("{detail}")]
    Refused { status: StatusCode, detail: String, by_farm: bool },
    #[error("unexpected response: {0}; does the server run this version of Framefarm?")]
    Strange(String),
}

impl CallError {
    pub(super) fn unreachable(url: &str, error: &reqwest::Error) -> Self {
        // reqwest puts the address in front of its own words; it stands before them already.
        let why = std::iter::successors(std::error::Error::source(error), |error| error.source()).last();
        let why = why.map_or_else(|| error.to_string(), ToString::to_string);
        Self::Unreachable { url: url.to_owned(), why }
    }

    /// Whether the same request may work in a moment.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Strange(_) => false,
            Self::Refused { status, .. } => match status.as_u16() {
                // Another offset, another holder: the state of what is asked about tells how to go on.
                408 | 409 | 423 | 425 | 429 | 460 => true,
                _ => status.is_server_error() && *status != StatusCode::INSUFFICIENT_STORAGE,
            },
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Unreachable { .. } => Exit::Unreachable,
            Self::Strange(_) => Exit::Failure,
            // Whatever is there is no farm.
            Self::Refused { status, by_farm: false, .. } if *status == StatusCode::NOT_FOUND => {
                Exit::Unreachable
            }
            Self::Refused { status, .. } => match *status {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Exit::NotAllowed,
                StatusCode::NOT_FOUND | StatusCode::GONE => Exit::NotFound,
                StatusCode::CONFLICT | StatusCode::LOCKED | StatusCode::PRECONDITION_FAILED => Exit::Refused,
                StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => Exit::Unreachable,
                _ => Exit::Failure,
            },
        }
    }
}

/// Sends, and gives back the answer if it is a good one.
pub(crate) async fn answer(request: RequestBuilder, needs: Scope) -> Result<Response, CallError> {
    let (http, request) = request.build_split();
    let request = request.map_err(|error| CallError::Strange(error.to_string()))?;
    let url = request.url().origin().ascii_serialization();
    let response = http.execute(request).await.map_err(|error| CallError::unreachable(&url, &error))?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body = response.bytes().await.unwrap_or_default();
    let problem: Option<Problem> = serde_json::from_slice(&body).ok();
    let by_farm = problem.is_some();
    let detail = problem.map_or_else(|| not_of_the_farm(status), |problem| problem.detail);
    let detail = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => format!("{detail} {}", how_to_get_a_token(needs)),
        _ => detail,
    };
    Err(CallError::Refused { status, detail, by_farm })
}

/// What is read of a problem document.
#[derive(Deserialize)]
struct Problem {
    detail: String,
}

/// The farm explains what it refuses; this answer came from something in between.
fn not_of_the_farm(status: StatusCode) -> String {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => format!(
            "{status}: a proxy in front of the farm rejects bodies of this size; raise its limit (nginx: \
             `client_max_body_size 0;`)."
        ),
        StatusCode::NOT_FOUND => format!("{status}: is this the URL of a Framefarm server?"),
        _ if status.is_redirection() => {
            format!("{status}: the farm redirects to another URL; use that one with `--api`.")
        }
        _ => status.to_string(),
    }
}

pub(super) fn how_to_get_a_token(needs: Scope) -> String {
    format!(
        "The token needs the scope `{needs}`. To create one, run on the farm's machine: `framefarm token \
         create --name me --scope {needs}`."
    )
}
