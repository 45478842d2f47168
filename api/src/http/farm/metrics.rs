//! Metrics for Prometheus.

use axum::extract::{FromRequestParts, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::IntoResponse;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Reader;
use crate::error::{ApiError, Result};
use crate::proxy::Visit;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(metrics))
}

/// Whoever comes from `metrics_networks`, or may read.
struct Scraper;

impl FromRequestParts<App> for Scraper {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let visit = Visit::from_request_parts(parts, app).await.unwrap_or_else(|never| match never {});
        let near = visit.client.is_some_and(|client| app.settings.metrics.metrics_networks.include(client));
        if near && !parts.headers.contains_key(AUTHORIZATION) && !visit.by_unknown_proxy {
            return Ok(Self);
        }
        Reader::from_request_parts(parts, app).await.map(|_| Self)
    }
}

/// Get metrics in the Prometheus text format
///
/// Clients in `metrics_networks` (default: this machine) need no token; all others do.
#[utoipa::path(get, path = "/metrics", tag = "farm", security((), ("token" = [])),
    responses((status = 200, description = "Prometheus text format 0.0.4", body = String, content_type = "text/plain")))]
async fn metrics(_: Scraper, State(app): State<App>) -> Result<impl IntoResponse> {
    let text = app.metrics.text(&app).await?;
    Ok(([(CONTENT_TYPE, crate::metrics::CONTENT_TYPE)], text))
}
