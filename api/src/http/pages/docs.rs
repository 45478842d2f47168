//! The API's own documentation: the OpenAPI document and a page that shows it. Nothing comes from another host.

use std::sync::LazyLock;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::app::App;
use crate::error::{ApiError, Result};
use crate::http::router;

static DOCUMENT: LazyLock<serde_json::Result<String>> = LazyLock::new(|| router::document().to_pretty_json());

pub(in crate::http) fn routes() -> Router<App> {
    page().route("/api/openapi.json", get(document))
}

#[cfg(feature = "swagger-ui")]
fn page() -> Router<App> {
    use axum::http::HeaderValue;
    use axum::http::header::CONTENT_SECURITY_POLICY;
    use tower_http::set_header::SetResponseHeaderLayer;
    use utoipa_swagger_ui::{Config, SwaggerUi};

    /// Swagger UI writes style attributes, and its icons are data URLs.
    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                          img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

    let page = SwaggerUi::new("/api/docs").config(Config::from("/api/openapi.json").try_it_out_enabled(true));
    let policy =
        SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Router::from(page).layer(policy)
}

#[cfg(not(feature = "swagger-ui"))]
fn page() -> Router<App> {
    use axum::response::Html;

    const PAGE: Html<&str> = Html(
        "<!doctype html><html lang=\"en\"><title>Framefarm API</title><h1>Framefarm API</h1><p>The API is described by \
         its <a href=\"/api/openapi.json\">OpenAPI document</a>, which any OpenAPI viewer shows. This program was built \
         without one: images and packages have Swagger UI here, and so has a build with <code>--features full</code>.",
    );
    Router::new().route("/api/docs", get(async || PAGE)).route("/api/docs/", get(async || PAGE))
}

async fn document() -> Result<Response> {
    let text = DOCUMENT.as_ref().map_err(|error| ApiError::internal(error))?;
    Ok(([(CONTENT_TYPE, "application/json")], text.as_str()).into_response())
}
