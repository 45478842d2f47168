//! What happened, newest first.

use axum::extract::State;
use framefarm_shared::wire::event::EventKind;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Query, limit};
use crate::app::App;
use crate::auth::Admin;
use crate::error::Result;
use crate::views::events::{self, Event, Filter};
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
    /// Only events of this kind.
    #[param(nullable = false)]
    kind: Option<EventKind>,
    /// Without those that come in crowds while a job runs: plans, delivered parts, finished qualities, late reports.
    #[serde(default)]
    important: bool,
    /// Who did it, exactly as the list tells it: `admin`, `token:<name>`, a worker's name, or `farm`.
    #[param(nullable = false)]
    actor: Option<String>,
    /// Only what people did, at the page or with a token.
    #[serde(default)]
    people: bool,
    /// Words, each of which is part of the kind, of the reason or of a name: who did it, the worker's, the video's
    /// title. The first eight count.
    #[param(nullable = false)]
    search: Option<String>,
}

/// The audit: every change, newest first
#[utoipa::path(get, path = "/api/audit", tag = "farm", params(EventsQuery), responses((status = 200, body = Page<Event>)))]
async fn list_events(
    _: Admin,
    State(app): State<App>,
    Query(query): Query<EventsQuery>,
) -> Result<Json<Page<Event>>> {
    let EventsQuery { cursor, limit: wanted, kind, important, actor, people, search } = query;
    let filter = Filter { kind, important, actor, by_people: people, search };
    Ok(Json(events::list(&app, filter, cursor.as_deref(), limit(wanted)?).await?))
}
