//! Playlists and segments for players, on this site and on others.

use axum::extract::State;
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY, ETAG, HeaderName,
    IF_NONE_MATCH, IF_RANGE, LOCATION, RANGE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::options;
use framefarm_shared::object_key::{ObjectKey, parse_public_parts};
use tower_http::cors::{Any, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{ApiError, Problem, Result};
use crate::http::extract::Path;
use crate::http::ranged;
use crate::lifecycle::play;

/// A browser that plays HLS shows its own player in place of the answer: it loads media, from wherever we redirect it
/// to, and has styles. Nothing else, and no script.
const PLAYER_POLICY: &str = "default-src 'none'; media-src * data: blob:; connect-src *; style-src 'unsafe-inline'; \
                             img-src 'self' data:; frame-ancestors 'none'";

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    let anywhere = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD])
        .allow_headers([RANGE, IF_RANGE, IF_NONE_MATCH])
        .expose_headers([CONTENT_LENGTH, CONTENT_RANGE, ACCEPT_RANGES, ETAG]);
    let embeddable = SetResponseHeaderLayer::overriding(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    );
    let policy =
        SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PLAYER_POLICY));
    // A preflight must reach the layer: what no method of a path answers goes past it.
    let preflight = || options(async || StatusCode::NO_CONTENT);
    OpenApiRouter::new()
        .routes(routes!(master_playlist))
        .routes(routes!(media_file))
        .route("/videos/{slug}/master.m3u8", preflight())
        .route("/videos/{slug}/{generation}/{quality}/{name}", preflight())
        .layer(embeddable)
        .layer(policy)
        .layer(anywhere)
}

/// Get the master playlist of a video
#[utoipa::path(
    get, path = "/videos/{slug}/master.m3u8", tag = "playback", params(("slug" = String, Path)),
    responses(
        (status = 200, description = "HLS multivariant playlist", body = String,
            content_type = "application/vnd.apple.mpegurl"),
        (status = 206, description = "The requested range", body = String,
            content_type = "application/vnd.apple.mpegurl"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such video, or not ready", body = Problem, content_type = "application/problem+json"),
        (status = 416, description = "Range not satisfiable", body = Problem,
            content_type = "application/problem+json"),
    ),
    security(()),
)]
async fn master_playlist(
    State(app): State<App>,
    Path(slug): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response> {
    let key = play::master(&app, &slug).await?;
    ranged::serve(&app, &key, &tag(&key), &method, &headers).await
}

/// Get a media playlist, init segment, media segment, image or subtitle file
///
/// `quality` is the name of a quality, `images` or `subtitles`.
#[utoipa::path(
    get, path = "/videos/{slug}/{generation}/{quality}/{name}", tag = "playback",
    params(
        ("slug" = String, Path), ("generation" = String, Path, example = "g1"),
        ("quality" = String, Path, example = "720p"), ("name" = String, Path, example = "playlist.m3u8"),
    ),
    responses(
        (status = 200, description = "The file", content_type = "video/mp4"),
        (status = 206, description = "The requested range", content_type = "video/mp4"),
        (status = 304, description = "Not modified"),
        (status = 307, description = "Redirect to public_media_url", headers(("Location" = String))),
        (status = 404, description = "No such file", body = Problem, content_type = "application/problem+json"),
        (status = 416, description = "Range not satisfiable", body = Problem,
            content_type = "application/problem+json"),
    ),
    security(()),
)]
async fn media_file(
    State(app): State<App>,
    Path((slug, generation, quality, name)): Path<(String, String, String, String)>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response> {
    let parsed = parse_public_parts(&generation, &quality, &name);
    let (generation, file) = parsed.ok_or_else(|| ApiError::no_such("file"))?;
    let key = play::file(&app, &slug, generation, file).await?;
    if let Some(url) = play::public_url(&app, &key) {
        return elsewhere(&url);
    }
    ranged::serve(&app, &key, &tag(&key), &method, &headers).await
}

/// A setting decides where, so the redirect is cached only briefly.
fn elsewhere(url: &str) -> Result<Response> {
    let location = HeaderValue::try_from(url).map_err(|error| ApiError::internal(&error))?;
    let cached = HeaderValue::from_static("public, max-age=60");
    let headers = [(LOCATION, location), (CACHE_CONTROL, cached)];
    Ok((StatusCode::TEMPORARY_REDIRECT, headers).into_response())
}

/// Media files are named by their digest; published playlists and storyboards are written once in their generation.
fn tag(key: &ObjectKey) -> String {
    match key {
        ObjectKey::Media { generation, file, .. } => {
            file.digest().map_or_else(|| format!("g{generation}"), |digest| digest.to_string())
        }
        ObjectKey::Master { generation, .. } => format!("g{generation}"),
        ObjectKey::Source { video } => video.to_string(),
        ObjectKey::UploadRest { upload, .. } => upload.to_string(),
    }
}
