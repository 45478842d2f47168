//! The API's own documentation: the OpenAPI document and a page that shows it. Nothing comes from another host.

use std::sync::LazyLock;

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::app::App;
use crate::error::{ApiError, Result};
use crate::http::router;

/// Swagger UI writes style attributes, and its icons are data URLs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

static DOCUMENT: LazyLock<serde_json::Result<String>> = LazyLock::new(|| router::document().to_pretty_json());

pub(in crate::http) fn routes() -> Router<App> {
    let page = SwaggerUi::new("/api/docs").config(Config::from("/api/openapi.json").try_it_out_enabled(true));
    let policy =
        SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Router::from(page).layer(policy).route("/api/openapi.json", get(document))
}

async fn document() -> Result<Response> {
    let text = DOCUMENT.as_ref().map_err(|error| ApiError::internal(error))?;
    Ok(([(CONTENT_TYPE, "application/json")], text.as_str()).into_response())
}
