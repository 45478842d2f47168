//! The page at `/`: it runs, and what to do next.

use std::sync::LazyLock;

use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_SECURITY_POLICY, HOST};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::app::App;

const PAGE: &str = include_str!("web.html");
const STYLE: &str = include_str!("web.css");

/// Only this very style applies, and nothing else loads.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
});

pub(super) fn routes() -> Router<App> {
    Router::new().route("/", get(page))
}

async fn page(headers: HeaderMap) -> Response {
    let html = PAGE.replace("{{style}}", STYLE).replace("{{host}}", &host(&headers));
    ([(CONTENT_SECURITY_POLICY, POLICY.as_str())], Html(html)).into_response()
}

/// The name under which the reader reached us, for the commands on the page.
fn host(headers: &HeaderMap) -> String {
    let plain = |text: &&str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b".:-[]".contains(&b));
    let given = headers.get(HOST).and_then(|value| value.to_str().ok()).filter(plain);
    given.unwrap_or("localhost:8080").to_owned()
}
