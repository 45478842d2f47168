//! The audit log.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use framefarm_shared::wire::event::EventKind;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Admin;
use crate::error::{ApiError, Result};
use crate::http::attachment::attachment;
use crate::http::extract::{Json, Query, limit};
use crate::responses::events::{self, Event, Filter};
use crate::responses::page::Page;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_events)).routes(routes!(export_events))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    #[param(nullable = false, pattern = "^[0-9a-f]{16}$")]
    cursor: Option<String>,
    /// Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
    /// Only events of this kind.
    #[param(nullable = false)]
    kind: Option<EventKind>,
    /// Omit the frequent events of a running job: plans, delivered parts, completed qualities, late reports.
    #[serde(default)]
    important: bool,
    /// The exact actor: `admin`, `token:<name>`, `worker:<name>`, `anonymous` or `farm`.
    #[param(nullable = false)]
    actor: Option<String>,
    /// Only what people did or attempted, in the web page or with a token.
    #[serde(default)]
    people: bool,
    /// Words that must all occur in the kind, the reason or a name (actor, worker, video title). Only the
    /// first eight are used.
    #[param(nullable = false)]
    search: Option<String>,
}

/// List the audit log, newest first
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

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ExportQuery {
    /// Only events after this `id`. Default: from the beginning.
    #[param(nullable = false, minimum = 0)]
    after: Option<u64>,
}

/// Export the audit log as JSON Lines, oldest first
#[utoipa::path(get, path = "/api/audit/export", tag = "farm", params(ExportQuery), responses(
    (status = 200, description = "One event per line", body = Event, content_type = "application/x-ndjson")))]
async fn export_events(
    _: Admin,
    State(app): State<App>,
    Query(query): Query<ExportQuery>,
) -> Result<Response> {
    let after = i64::try_from(query.after.unwrap_or(0))
        .map_err(|_| ApiError::bad_request("bad_query", "`after` is out of range."))?;
    let lines = events::export(&app, after).await?;
    let name = format!("framefarm-audit-{}.jsonl", app.clock.now().format("%Y%m%d-%H%M%S"));
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (CONTENT_DISPOSITION, attachment(&name)?),
    ];
    Ok((headers, Body::from_stream(lines)).into_response())
}
