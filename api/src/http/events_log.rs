//! What happened, newest first.

use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Query, limit};
use crate::app::App;
use crate::auth::Admin;
use crate::error::Result;
use crate::views::events::{self, Event};
use crate::views::page::Page;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_events))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    #[param(nullable = false, pattern = "^[0-9a-f]{16}$")]
    cursor: Option<String>,
    /// 100 if absent.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// The audit: every change, newest first
#[utoipa::path(get, path = "/api/audit", tag = "farm", params(EventsQuery), responses((status = 200, body = Page<Event>)))]
async fn list_events(
    _: Admin,
    State(app): State<App>,
    Query(query): Query<EventsQuery>,
) -> Result<Json<Page<Event>>> {
    let limit = limit(query.limit)?;
    Ok(Json(events::list(&app, query.cursor.as_deref(), limit).await?))
}
