//! The farm at a glance, and what it did over time.

use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Reader;
use crate::error::{ApiError, Result};
use crate::http::extract::{Json, Query};
use crate::responses::overview::{self, Overview, Throughput};

/// A month.
const MOST_HOURS: u16 = 720;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(get_overview)).routes(routes!(get_throughput))
}

/// Get running jobs, recent failures and the time to clear the queue
#[utoipa::path(get, path = "/api/overview", tag = "farm", responses((status = 200, body = Overview)))]
async fn get_overview(_: Reader, State(app): State<App>) -> Result<Json<Overview>> {
    Ok(Json(overview::overview(&app).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ThroughputQuery {
    /// How far back. Default: 24. Up to 48, the buckets are hours; beyond that, days.
    #[param(nullable = false, minimum = 1, maximum = 720)]
    hours: Option<u16>,
}

/// Get finished jobs over time
#[utoipa::path(get, path = "/api/throughput", tag = "farm", params(ThroughputQuery),
    responses((status = 200, body = Throughput)))]
async fn get_throughput(
    _: Reader,
    State(app): State<App>,
    Query(query): Query<ThroughputQuery>,
) -> Result<Json<Throughput>> {
    let hours = query.hours.unwrap_or(24);
    if !(1..=MOST_HOURS).contains(&hours) {
        return Err(ApiError::bad_request("bad_hours", format!("`hours` must be from 1 to {MOST_HOURS}.")));
    }
    Ok(Json(overview::throughput(&app, hours).await?))
}
