//! One attempt: a request to exactly the addresses that were checked, and its response.

use std::time::Duration;

use chrono::{DateTime, Utc};
use framefarm_shared::alert::EndpointKind;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode};

use super::message::cut;
use super::schedule::{self, Outcome};
use crate::egress::Egress;

/// The most bytes of a response that are read.
const MOST_ANSWER: usize = 4_096;
/// The most characters of it that are kept.
const MOST_WORDS: usize = 200;

/// What is sent.
pub struct Shipment {
    pub kind: EndpointKind,
    pub url: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// `timeout` covers everything: DNS lookup, connection, request and response.
pub async fn send(egress: &Egress, shipment: Shipment, timeout: Duration, now: DateTime<Utc>) -> Outcome {
    let exchange = exchange(egress, shipment, now);
    match tokio::time::timeout(timeout, exchange).await {
        Ok(outcome) => outcome,
        Err(_) => Outcome::Unanswered { words: format!("No response within {} s.", timeout.as_secs()) },
    }
}

async fn exchange(egress: &Egress, shipment: Shipment, now: DateTime<Utc>) -> Outcome {
    let gate = match egress.pass(&shipment.url).await {
        Ok(gate) => gate,
        Err(refusal) => return Outcome::Unanswered { words: refusal.to_string() },
    };
    let answered = async {
        let mut url = gate.url.clone();
        if shipment.kind == EndpointKind::Discord {
            // Otherwise it answers before it has looked at the message.
            url.query_pairs_mut().append_pair("wait", "true");
        }
        let request = gate.client().build()?.post(url).headers(shipment.headers).body(shipment.body);
        request.header(CONTENT_TYPE, HeaderValue::from_static("application/json")).send().await
    };
    match answered.await {
        Ok(response) => read(shipment.kind, response, now).await,
        Err(error) => Outcome::Unanswered { words: in_words(&error) },
    }
}

async fn read(kind: EndpointKind, mut response: Response, now: DateTime<Utc>) -> Outcome {
    let status = response.status();
    if status.is_success() {
        return Outcome::Delivered { code: status.as_u16() };
    }
    let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let asked = schedule::retry_after(header, now);
    let body = beginning(&mut response).await;
    let wait = match status {
        StatusCode::TOO_MANY_REQUESTS => asked.max(schedule::retry_after_of_discord(kind, &body)),
        StatusCode::SERVICE_UNAVAILABLE => asked,
        _ => None,
    };
    Outcome::Answered { code: status.as_u16(), wait, words: words(status, &body) }
}

/// The first bytes of the body, however much the endpoint sends.
async fn beginning(response: &mut Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = MOST_ANSWER - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == MOST_ANSWER {
            break;
        }
    }
    body
}

fn words(status: StatusCode, body: &[u8]) -> String {
    if status.is_redirection() {
        return format!(
            "The endpoint returned {status}; redirects are not followed. Enter the URL it redirects to."
        );
    }
    let text: String =
        String::from_utf8_lossy(body).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match text.trim() {
        "" => format!("The endpoint returned {status}."),
        text => format!("The endpoint returned {status}: {}", cut(text, MOST_WORDS)),
    }
}

/// The innermost cause, without the URL, which is a secret.
fn in_words(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let what = if error.is_connect() { "Connection failed" } else { "Request failed" };
    if std::ptr::addr_eq(cause, error) {
        return format!("{what}.");
    }
    format!("{what}: {}.", cut(&cause.to_string(), MOST_WORDS))
}
