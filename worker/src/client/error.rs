//! What to do when a call failed.

use std::io;
use std::time::Duration;

use framefarm_shared::failure::truncate;
use framefarm_shared::wire::worker_api::RefusalCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde::Deserialize;

const DETAIL_LIMIT: usize = 500;

#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// Stop this work now and send no more bytes.
    #[error("the farm rejected the request: {detail} ({code})")]
    Stop { code: String, detail: String },
    /// The same call would be refused again: bad data, or a defect.
    #[error("the request failed: {detail} ({code})")]
    Refused { code: String, detail: String },
    /// It may work in a moment; `after` is what the farm asked for.
    #[error("temporary failure: {detail}")]
    TryAgain { detail: String, after: Option<Duration> },
    /// The farm's disk is full; retried until there is space.
    #[error("the farm has no free disk space: {detail}")]
    NoRoom { detail: String, after: Option<Duration> },
    /// A transfer arrived whole and is not what it should be.
    #[error("the downloaded source is damaged: {0}")]
    Damaged(String),
    /// An I/O error on this machine.
    #[error("on the worker: {0}")]
    Disk(#[from] io::Error),
}

/// The fields we use of a problem document.
#[derive(Deserialize)]
struct Problem {
    code: String,
    #[serde(default)]
    detail: String,
}

impl CallError {
    /// Why a claim is gone, if that is what happened.
    pub fn refusal(&self) -> Option<RefusalCode> {
        match self {
            Self::Stop { code, .. } => code.parse().ok(),
            _ => None,
        }
    }

    /// The code of an answer after which nothing can be done under this claim. A missing file is no such answer: the
    /// job can still be reported as failed.
    pub fn ends_the_claim(&self) -> Option<&str> {
        match self {
            Self::Stop { code, .. } if self.refusal().is_some() => Some(code),
            Self::Stop { code, .. }
                if matches!(code.as_str(), "lock_lost" | "unauthorized" | "superseded" | "401") =>
            {
                Some(code)
            }
            _ => None,
        }
    }

    /// The worker's own finding, before the farm had to say it.
    pub fn lock_lost() -> Self {
        Self::Stop { code: "lock_lost".to_owned(), detail: "the claim on the job was lost".to_owned() }
    }

    pub(super) async fn from_answer(response: Response) -> Self {
        let (status, after) = (response.status(), retry_after(response.headers()));
        let body = response.bytes().await.unwrap_or_default();
        judge(status, serde_json::from_slice(&body).ok(), after)
    }

    pub(super) fn not_understood(error: &serde_json::Error) -> Self {
        let detail = format!("invalid response: {error}. Update this worker to the version of the farm");
        Self::Refused { code: "not_understood".to_owned(), detail }
    }
}

fn judge(status: StatusCode, problem: Option<Problem>, after: Option<Duration>) -> CallError {
    let from_farm = problem.is_some();
    let (code, detail) = problem.map_or_else(
        || (status.as_u16().to_string(), not_of_the_farm(status)),
        |problem| (problem.code, truncate(&problem.detail, DETAIL_LIMIT).to_owned()),
    );
    match status.as_u16() {
        // Proxies say these of themselves while the farm behind them restarts. Only the farm's word ends a job.
        403 | 404 if !from_farm => CallError::TryAgain { detail, after },
        401 | 403 | 404 | 409 | 410 => CallError::Stop { code, detail },
        507 if from_farm => CallError::NoRoom { detail, after },
        408 | 425 | 429 | 500.. => CallError::TryAgain { detail: format!("{detail} ({code})"), after },
        _ => CallError::Refused { code, detail },
    }
}

fn not_of_the_farm(status: StatusCode) -> String {
    let said = format!("{status} from a proxy, or from a server that is not a Framefarm");
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => {
            format!("{said}. Raise the proxy's limit for request bodies (nginx: client_max_body_size)")
        }
        _ => said,
    }
}

/// Seconds only: the form with a date would need clocks that agree.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

impl From<reqwest::Error> for CallError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::Refused { code: "request".to_owned(), detail: chain(&error) };
        }
        Self::TryAgain { detail: chain(&error), after: None }
    }
}

/// The message of a transport error is in its sources: `connection refused`, not `error sending request`.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text = format!("{text}: {source}");
        next = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(status: u16, code: Option<&str>) -> CallError {
        let problem = code.map(|code| Problem { code: code.to_owned(), detail: "why".to_owned() });
        judge(StatusCode::from_u16(status).unwrap(), problem, None)
    }

    #[test]
    fn the_farms_no_means_stop() {
        for status in [401, 403, 404, 409, 410] {
            assert!(matches!(judged(status, Some("fenced")), CallError::Stop { .. }), "{status}");
        }
        assert_eq!(judged(409, Some("fenced")).refusal(), Some(RefusalCode::Fenced));
    }

    #[test]
    fn a_proxy_that_does_not_know_the_farm_ends_no_job() {
        assert!(matches!(judged(404, None), CallError::TryAgain { .. }));
        assert!(matches!(judged(403, None), CallError::TryAgain { .. }));
    }

    #[test]
    fn a_failure_on_the_other_side_means_try_again() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            assert!(matches!(judged(status, Some("internal")), CallError::TryAgain { .. }), "{status}");
        }
        assert!(matches!(judged(507, None), CallError::TryAgain { .. }), "the disk of a proxy");
        assert!(matches!(judged(507, Some("disk_full")), CallError::NoRoom { .. }));
    }

    #[test]
    fn every_other_answer_is_a_refusal() {
        for status in [302, 400, 405, 411, 413, 415, 416, 422] {
            assert!(matches!(judged(status, None), CallError::Refused { .. }), "{status}");
        }
    }
}
