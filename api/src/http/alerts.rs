//! Alerts: their state, endpoints and deliveries.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use framefarm_shared::alert::{AlertType, DeliveryStatus, EndpointKind};
use framefarm_shared::id::{DeliveryId, EndpointId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Path, Query, limit};
use super::openapi::Conflict;
use crate::alerts::endpoints::{self, Endpoint, EndpointChange, New};
use crate::alerts::log::{self, Delivery, DeliveryDetail};
use crate::alerts::status::{self, Alerts};
use crate::app::App;
use crate::auth::{Admin, Reader};
use crate::error::Result;
use crate::responses::page::Page;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_alerts))
        .routes(routes!(list_alert_endpoints, create_alert_endpoint))
        .routes(routes!(get_alert_endpoint, change_alert_endpoint, delete_alert_endpoint))
        .routes(routes!(test_alert_endpoint))
        .routes(routes!(rotate_alert_secret))
        .routes(routes!(list_alert_deliveries))
        .routes(routes!(get_alert_delivery))
        .routes(routes!(replay_alert_delivery))
}

/// List alert types and their state
#[utoipa::path(get, path = "/api/alerts", tag = "alerts", responses((status = 200, body = Alerts)))]
async fn list_alerts(_: Reader, State(app): State<App>) -> Result<Json<Alerts>> {
    Ok(Json(status::all(&app).await?))
}

#[derive(Serialize, ToSchema)]
struct Endpoints {
    items: Vec<Endpoint>,
}

/// List alert endpoints
#[utoipa::path(get, path = "/api/alerts/endpoints", tag = "alerts", responses((status = 200, body = Endpoints)))]
async fn list_alert_endpoints(_: Reader, State(app): State<App>) -> Result<Json<Endpoints>> {
    Ok(Json(Endpoints { items: endpoints::list(&app).await? }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewEndpoint {
    /// 1 to 100 characters.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    name: String,
    /// Must be public, or allowed by the setting `alert_webhook_allow`. Not shown again.
    #[schema(max_length = 2048, pattern = "^https?://[^\\s/@]+(/[^\\s]*)?$")]
    url: String,
    /// Detected from the URL if absent.
    kind: Option<EndpointKind>,
    /// Alert types to send. Default: all except `worker_startup`, `worker_shutdown` and `video_ready`.
    #[schema(min_items = 1, max_items = 50)]
    alert_types: Option<Vec<AlertType>>,
    /// Default: `true`.
    enabled: Option<bool>,
}

#[derive(Serialize, ToSchema)]
struct CreatedEndpoint {
    endpoint: Endpoint,
    /// Secret that signs deliveries; shown only once. Null for Slack and Discord.
    #[schema(required)]
    secret: Option<String>,
}

/// Create an alert endpoint
#[utoipa::path(post, path = "/api/alerts/endpoints", tag = "alerts", request_body = NewEndpoint,
    responses((status = 201, body = CreatedEndpoint), Conflict))]
async fn create_alert_endpoint(
    Admin(actor): Admin,
    State(app): State<App>,
    Json(new): Json<NewEndpoint>,
) -> Result<(StatusCode, Json<CreatedEndpoint>)> {
    let NewEndpoint { name, url, kind, alert_types, enabled } = new;
    let new = New { name, url, kind, alert_types, enabled: enabled.unwrap_or(true) };
    let (endpoint, secret) = endpoints::create(&app, new, &actor).await?;
    Ok((StatusCode::CREATED, Json(CreatedEndpoint { endpoint, secret })))
}

/// Get an alert endpoint
#[utoipa::path(get, path = "/api/alerts/endpoints/{id}", tag = "alerts", params(("id" = EndpointId, Path)),
    responses((status = 200, body = Endpoint)))]
async fn get_alert_endpoint(
    _: Reader,
    State(app): State<App>,
    Path(id): Path<EndpointId>,
) -> Result<Json<Endpoint>> {
    Ok(Json(endpoints::get(&app, id).await?))
}

/// Update an alert endpoint
///
/// Absent fields keep their value.
#[utoipa::path(patch, path = "/api/alerts/endpoints/{id}", tag = "alerts", params(("id" = EndpointId, Path)),
    request_body = EndpointChange, responses((status = 200, body = Endpoint), Conflict))]
async fn change_alert_endpoint(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<EndpointId>,
    Json(change): Json<EndpointChange>,
) -> Result<Json<Endpoint>> {
    Ok(Json(endpoints::change(&app, id, change, &actor).await?))
}

/// Delete an alert endpoint and its deliveries
#[utoipa::path(delete, path = "/api/alerts/endpoints/{id}", tag = "alerts", params(("id" = EndpointId, Path)),
    responses((status = 204), Conflict))]
async fn delete_alert_endpoint(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<EndpointId>,
) -> Result<StatusCode> {
    endpoints::delete(&app, id, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a test message and return the result
#[utoipa::path(post, path = "/api/alerts/endpoints/{id}/test", tag = "alerts", params(("id" = EndpointId, Path)),
    responses((status = 200, body = DeliveryDetail)))]
async fn test_alert_endpoint(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<EndpointId>,
) -> Result<Json<DeliveryDetail>> {
    Ok(Json(endpoints::test(&app, id, &actor).await?))
}

#[derive(Serialize, ToSchema)]
struct NewSecret {
    /// Shown only once.
    secret: String,
    /// Until then, deliveries are also signed with the old secret.
    old_secret_until: DateTime<Utc>,
}

/// Rotate the secret of an alert endpoint
///
/// For 24 hours, deliveries are signed with both secrets.
#[utoipa::path(post, path = "/api/alerts/endpoints/{id}/rotate-secret", tag = "alerts",
    params(("id" = EndpointId, Path)), responses((status = 200, body = NewSecret), Conflict))]
async fn rotate_alert_secret(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<EndpointId>,
) -> Result<Json<NewSecret>> {
    let (secret, old_secret_until) = endpoints::rotate_secret(&app, id, &actor).await?;
    Ok(Json(NewSecret { secret, old_secret_until }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct DeliveriesQuery {
    /// Only deliveries to this endpoint.
    #[param(nullable = false)]
    endpoint: Option<EndpointId>,
    #[param(nullable = false)]
    status: Option<DeliveryStatus>,
    #[param(nullable = false, pattern = "^[0-9a-f]{16}$")]
    cursor: Option<String>,
    /// Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// List alert deliveries, newest first
#[utoipa::path(get, path = "/api/alerts/deliveries", tag = "alerts", params(DeliveriesQuery),
    responses((status = 200, body = Page<Delivery>)))]
async fn list_alert_deliveries(
    _: Reader,
    State(app): State<App>,
    Query(query): Query<DeliveriesQuery>,
) -> Result<Json<Page<Delivery>>> {
    let limit = limit(query.limit)?;
    let wanted = log::Wanted { endpoint: query.endpoint, status: query.status };
    Ok(Json(log::list(&app, wanted, query.cursor.as_deref(), limit).await?))
}

/// Get an alert delivery with its body and attempts
#[utoipa::path(get, path = "/api/alerts/deliveries/{id}", tag = "alerts", params(("id" = DeliveryId, Path)),
    responses((status = 200, body = DeliveryDetail)))]
async fn get_alert_delivery(
    _: Reader,
    State(app): State<App>,
    Path(id): Path<DeliveryId>,
) -> Result<Json<DeliveryDetail>> {
    Ok(Json(log::get(&app, id).await?))
}

/// Resend an alert delivery
#[utoipa::path(post, path = "/api/alerts/deliveries/{id}/replay", tag = "alerts", params(("id" = DeliveryId, Path)),
    responses((status = 201, body = Delivery), Conflict))]
async fn replay_alert_delivery(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<DeliveryId>,
) -> Result<(StatusCode, Json<Delivery>)> {
    Ok((StatusCode::CREATED, Json(log::replay(&app, id, &actor).await?)))
}
