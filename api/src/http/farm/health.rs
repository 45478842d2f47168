//! Health and readiness, for load balancers and people.

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, Result};
use crate::http::extract::Json;
use crate::responses::health::{self, FarmHealth, ServiceHealth};
use crate::responses::readiness::{Check, Readiness, readiness};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(alive))
        .routes(routes!(ready))
        .routes(routes!(farm_health))
        .routes(routes!(service_health))
        .routes(routes!(version))
}

#[derive(Serialize, ToSchema)]
struct Fine {
    /// Always `ok`.
    status: String,
}

/// Check that the process is alive
#[utoipa::path(get, path = "/healthz", tag = "farm", security(()), responses((status = 200, body = Fine)))]
async fn alive() -> Json<Fine> {
    Json(Fine { status: "ok".to_owned() })
}

#[derive(Serialize, ToSchema)]
struct Ready {
    /// Always `ok`.
    status: String,
    checks: Vec<Check>,
}

/// A problem document with every check; `code` is that of the first failed check.
#[derive(Serialize, ToSchema)]
struct Unready {
    #[serde(flatten)]
    problem: Problem,
    checks: Vec<Check>,
}

/// Check that this instance can serve requests
///
/// Database and storage respond, and the instance is not shutting down.
#[utoipa::path(get, path = "/readyz", tag = "farm", security(()), responses(
    (status = 200, body = Ready),
    (status = 503, description = "Not ready", body = Unready, content_type = "application/problem+json"),
))]
async fn ready(State(app): State<App>) -> Response {
    let Readiness { checks, refusal } = readiness(&app).await;
    let Some(refusal) = refusal else {
        return Json(Ready { status: "ok".to_owned(), checks }).into_response();
    };
    let unready = Unready { problem: Problem::from(&refusal), checks };
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    (StatusCode::SERVICE_UNAVAILABLE, [kind], axum::Json(unready)).into_response()
}

/// Get the health of the farm: database, workers, pending jobs
#[utoipa::path(get, path = "/health", tag = "farm", security(()), responses((status = 200, body = FarmHealth)))]
async fn farm_health(State(app): State<App>) -> Result<Json<FarmHealth>> {
    Ok(Json(health::farm(&app).await?))
}

/// Get the health of the service: storage, database, processing
#[utoipa::path(get, path = "/api/health", tag = "farm", security(()), responses((status = 200, body = ServiceHealth)))]
async fn service_health(State(app): State<App>) -> Result<Json<ServiceHealth>> {
    Ok(Json(health::service(&app).await?))
}

#[derive(Serialize, ToSchema)]
struct Version {
    name: String,
    version: String,
}

/// Get the server version
#[utoipa::path(get, path = "/version", tag = "farm", security(()), responses((status = 200, body = Version)))]
async fn version() -> Json<Version> {
    Json(Version { name: "framefarm".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}
