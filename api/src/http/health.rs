//! How it is, for load balancers and people.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::Json;
use crate::app::App;
use crate::error::Result;
use crate::views::health::{self, FarmHealth, ServiceHealth};

pub(super) fn routes() -> OpenApiRouter<App> {
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

fn fine() -> Json<Fine> {
    Json(Fine { status: "ok".to_owned() })
}

/// This process answers
#[utoipa::path(get, path = "/healthz", tag = "farm", security(()), responses((status = 200, body = Fine)))]
async fn alive() -> Json<Fine> {
    fine()
}

/// Requests may be sent here: database and storage answer, and it is not stopping
#[utoipa::path(get, path = "/readyz", tag = "farm", security(()), responses((status = 200, body = Fine)))]
async fn ready(State(app): State<App>) -> Result<Json<Fine>> {
    health::ready(&app).await?;
    Ok(fine())
}

/// The farm: database, workers, waiting jobs
#[utoipa::path(get, path = "/health", tag = "farm", security(()), responses((status = 200, body = FarmHealth)))]
async fn farm_health(State(app): State<App>) -> Result<Json<FarmHealth>> {
    Ok(Json(health::farm(&app).await?))
}

/// The service: storage, database, what was processed
#[utoipa::path(get, path = "/api/health", tag = "farm", security(()), responses((status = 200, body = ServiceHealth)))]
async fn service_health(State(app): State<App>) -> Result<Json<ServiceHealth>> {
    Ok(Json(health::service(&app).await?))
}

#[derive(Serialize, ToSchema)]
struct Version {
    name: String,
    version: String,
}

/// Which version this is
#[utoipa::path(get, path = "/version", tag = "farm", security(()), responses((status = 200, body = Version)))]
async fn version() -> Json<Version> {
    Json(Version { name: "framefarm".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}
