//! `POST /api/gc`: delete what is no longer needed, or report what that would be.

use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Admin;
use crate::error::Result;
use crate::http::detached::detached;
use crate::http::extract::Json;
use crate::retention::gc::{self, Report};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(collect_garbage))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct GcRequest {
    /// Only report what would be deleted.
    #[serde(default)]
    dry_run: bool,
}

/// Delete files and rows that are no longer needed
///
/// This also runs automatically every few minutes. The response is sent when the run has finished, which can
/// take minutes.
#[utoipa::path(post, path = "/api/gc", tag = "farm", request_body = GcRequest, responses((status = 200, body = Report)))]
async fn collect_garbage(
    Admin(actor): Admin,
    State(app): State<App>,
    Json(request): Json<GcRequest>,
) -> Result<Json<Report>> {
    let work = async move { gc::collect(&app, request.dry_run, &actor).await };
    Ok(Json(detached(work).await?))
}
