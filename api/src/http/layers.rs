//! What happens to every request before and after its handler.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower::{Layer, ServiceExt};
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tracing::Instrument;

use crate::app::App;
use crate::error::ApiError;
use crate::proxy::Visit;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// One span a request, with an id that the caller sees too. Query, headers and bodies may hold secrets: not here.
pub(super) async fn observe(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let visit = Visit::of(&request, &app.settings);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let client = visit.client.map(tracing::field::display);
    let span = tracing::info_span!("request", request.id = id, %method, path, client);
    request.extensions_mut().insert(visit);
    let header = HeaderValue::try_from(id).ok();
    if let Some(value) = &header {
        request.headers_mut().insert(REQUEST_ID, value.clone());
    }
    let route = request.extensions().get::<MatchedPath>().cloned();
    let counted = app.metrics.requests.begin(route.as_ref().map(MatchedPath::as_str), &method);
    let began = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, elapsed_ms) = (response.status().as_u16(), began.elapsed().as_millis());
    span.in_scope(|| tracing::debug!(status, elapsed_ms, "answered"));
    counted.answered(response.status());
    if let Some(value) = header {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// The caller's id if it is short and plain, or a new one.
fn request_id(headers: &HeaderMap) -> String {
    let plain = |text: &&str| {
        (1..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(plain);
    given.map_or_else(|| hex::encode(rand::random::<[u8; 8]>()), str::to_owned)
}

/// Answers are data: nothing runs, nothing frames them, nothing is guessed. Pages bring a policy of their own.
pub(super) async fn headers(visit: Visit, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    let headers = response.headers_mut();
    let mut usual = |name, value| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    usual(CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'");
    usual(X_CONTENT_TYPE_OPTIONS, "nosniff");
    usual(X_FRAME_OPTIONS, "DENY");
    usual(REFERRER_POLICY, "no-referrer");
    if is_api || is_error {
        usual(CACHE_CONTROL, "no-store");
    }
    // Every program on this machine shares the name `localhost`, and not all of them speak https.
    if visit.is_https() && !visit.to_this_machine {
        usual(STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    response
}

/// Refuses requests to a host name that is not ours: the page of another site had that name resolve to us.
pub(super) async fn own_host(visit: Visit, request: Request, next: Next) -> Response {
    if visit.to_strange_host {
        let detail = "Unknown host name. If it belongs to this server, set public_url (FRAMEFARM_PUBLIC_URL) \
                      or allowed_hosts (FRAMEFARM_ALLOWED_HOSTS).";
        return ApiError::new(StatusCode::MISDIRECTED_REQUEST, "unknown_host", detail).into_response();
    }
    next.run(request).await
}

/// Refuses changes that a page of another site sends with the admin's cookie. A browser adds cookies by itself but
/// never an `Authorization` header, and where there is one the cookie is not looked at; so those pass.
pub(super) async fn same_site(visit: Visit, request: Request, next: Next) -> Response {
    if request.headers().contains_key(AUTHORIZATION) {
        return next.run(request).await;
    }
    // Where a proxy changed `Host`, it no longer says which origin is ours.
    let ours = visit.farm.and_then(|farm| CsrfLayer::new().add_trusted_origin(farm).ok()).unwrap_or_default();
    let guarded = ours.with_rejection_response(cross_site).layer(next);
    guarded.oneshot(request).await.unwrap_or_else(|never| match never {})
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer asks for")]
fn cross_site(error: ProtectionError) -> Response {
    tracing::debug!(%error, "refused a cross-site request");
    let detail = "Cross-site request refused: open Framefarm itself, or use an API token. If this is \
                  Framefarm's own page, the reverse proxy does not forward `Host`: set public_url \
                  (FRAMEFARM_PUBLIC_URL) to the URL in the address bar.";
    ApiError::forbidden("cross_site", detail).into_response()
}
