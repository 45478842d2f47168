//! Worker administration.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use framefarm_shared::id::WorkerId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Path};
use crate::app::App;
use crate::auth::{Admin, Reader};
use crate::error::Result;
use crate::lifecycle::invite::{self, Invitation};
use crate::lifecycle::workers as switches;
use crate::proxy::Visit;
use crate::responses::page::Page;
use crate::responses::workers::{self, Worker};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_workers))
        .routes(routes!(invite_worker))
        .routes(routes!(get_worker, delete_worker))
        .routes(routes!(disable_worker))
        .routes(routes!(enable_worker))
        .routes(routes!(drain_worker))
        .routes(routes!(rotate_worker_key))
        .routes(routes!(revoke_worker_key))
}

/// List workers by name
#[utoipa::path(get, path = "/api/workers", tag = "workers", responses((status = 200, body = Page<Worker>)))]
async fn list_workers(_: Reader, State(app): State<App>) -> Result<Json<Page<Worker>>> {
    Ok(Json(workers::list(&app).await?))
}

#[derive(Serialize, ToSchema)]
struct InvitationReply {
    /// For `framefarm-worker run --join`; shown only once.
    token: String,
    expires_at: DateTime<Utc>,
    /// URL of the farm for the worker. Absent if the server does not know it: use the URL of this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    url: Option<String>,
}

/// Create a worker invitation
///
/// Its token registers one worker.
#[utoipa::path(post, path = "/api/workers/invitations", tag = "workers", responses((status = 201, body = InvitationReply)))]
async fn invite_worker(
    Admin(actor): Admin,
    State(app): State<App>,
    visit: Visit,
) -> Result<(StatusCode, Json<InvitationReply>)> {
    let Invitation { token, expires_at } = invite::invite(&app, &actor).await?;
    Ok((StatusCode::CREATED, Json(InvitationReply { token, expires_at, url: visit.farm })))
}

/// Get a worker
#[utoipa::path(get, path = "/api/workers/{id}", tag = "workers", params(("id" = WorkerId, Path)),
    responses((status = 200, body = Worker)))]
async fn get_worker(_: Reader, State(app): State<App>, Path(id): Path<WorkerId>) -> Result<Json<Worker>> {
    Ok(Json(workers::get(&app, id).await?))
}

/// Delete a worker
///
/// Its jobs return to the queue.
#[utoipa::path(delete, path = "/api/workers/{id}", tag = "workers", params(("id" = WorkerId, Path)),
    responses((status = 204)))]
async fn delete_worker(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<WorkerId>,
) -> Result<StatusCode> {
    switches::delete(&app, id, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Disable a worker
///
/// Its jobs return to the queue.
#[utoipa::path(post, path = "/api/workers/{id}/disable", tag = "workers", params(("id" = WorkerId, Path)),
    responses((status = 200, body = Worker)))]
async fn disable_worker(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<WorkerId>,
) -> Result<Json<Worker>> {
    switches::disable(&app, id, &actor).await?;
    Ok(Json(workers::get(&app, id).await?))
}

/// Enable a worker
#[utoipa::path(post, path = "/api/workers/{id}/enable", tag = "workers", params(("id" = WorkerId, Path)),
    responses((status = 200, body = Worker)))]
async fn enable_worker(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<WorkerId>,
) -> Result<Json<Worker>> {
    switches::enable(&app, id, &actor).await?;
    Ok(Json(workers::get(&app, id).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Drain {
    draining: bool,
}

/// Start or stop draining a worker
///
/// A draining worker finishes its jobs and claims no new ones.
#[utoipa::path(post, path = "/api/workers/{id}/drain", tag = "workers", params(("id" = WorkerId, Path)),
    request_body = Drain, responses((status = 200, body = Worker)))]
async fn drain_worker(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<WorkerId>,
    Json(drain): Json<Drain>,
) -> Result<Json<Worker>> {
    switches::drain(&app, id, drain.draining, &actor).await?;
    Ok(Json(workers::get(&app, id).await?))
}

#[derive(Serialize, ToSchema)]
struct NewKey {
    worker_id: WorkerId,
    /// Shown only once; only its hash is stored.
    api_key: String,
}

/// Rotate the key of a worker
///
/// The old key is revoked at once; the claims are kept.
#[utoipa::path(post, path = "/api/workers/{id}/rotate-key", tag = "workers", params(("id" = WorkerId, Path)),
    responses((status = 200, body = NewKey)))]
async fn rotate_worker_key(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<WorkerId>,
) -> Result<Json<NewKey>> {
    Ok(Json(NewKey { worker_id: id, api_key: switches::rotate_key(&app, id, &actor).await? }))
}

/// Revoke the key of a worker and its claims
#[utoipa::path(post, path = "/api/workers/{id}/revoke-key", tag = "workers", params(("id" = WorkerId, Path)),
    responses((status = 200, body = Worker)))]
async fn revoke_worker_key(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<WorkerId>,
) -> Result<Json<Worker>> {
    switches::revoke_key(&app, id, &actor).await?;
    Ok(Json(workers::get(&app, id).await?))
}
