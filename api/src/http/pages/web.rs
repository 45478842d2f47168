//! The page: its files are part of the binary.

use axum::Router;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use axum::http::{HeaderValue, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use memory_serve::CacheControl;
use reqwest::Url;
use tower::ServiceExt;

use crate::app::App;
use crate::config::Settings;

/// What the page shows by its path. Everything else that is no file of it is the API's, or not there.
const SCREENS: &[&str] = &[
    "/",
    "/login",
    "/upload",
    "/library",
    "/library/{id}",
    "/collections",
    "/queue",
    "/workers",
    "/alerts",
    "/settings",
];

/// Only our own files, and none of their scripts inline. Styles may be: the components write some into the document.
/// `blob:` is what the player makes of segments; `media` is where playback is sent, if it is.
fn policy(media: Option<&Url>) -> HeaderValue {
    let media = media.map_or_else(String::new, |url| format!(" {}", url.origin().ascii_serialization()));
    let text = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:{media}; media-src 'self' blob:{media}; connect-src 'self'{media}; \
         font-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'"
    );
    // An origin is ASCII without spaces; were it not, the page would show no video rather than trust anybody.
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("default-src 'self'"))
}

pub(in crate::http) fn routes(settings: &Settings) -> Router<App> {
    let policy = policy(settings.public_media().as_ref());
    let page = memory_serve::load!().index_file(None);
    let files: Router =
        page.html_cache_control(CacheControl::NoCache).cache_control(CacheControl::NoCache).into_router();
    let screens = SCREENS.iter().fold(Router::new(), |routes, screen| {
        let files = files.clone();
        routes.route(screen, get(move |request: Request| index(files, request)))
    });
    screens
        .merge(files.with_state(()))
        .layer(from_fn(move |request, next| headers(policy.clone(), request, next)))
}

/// The same document on every screen; it looks at the path by itself.
async fn index(files: Router, mut request: Request) -> Response {
    *request.uri_mut() = Uri::from_static("/index.html");
    files.oneshot(request).await.into_response()
}

async fn headers(policy: HeaderValue, request: Request, next: Next) -> Response {
    // Their names change with their content.
    let forever = request.uri().path().starts_with("/assets/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    if forever {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    }
    response
}
