//! Imports by URL or path: many at once, and their results.

use axum::extract::State;
use axum::http::StatusCode;
use framefarm_shared::id::IntakeId;
use framefarm_shared::intake::IntakeState;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Fetcher, Manager, Reader};
use crate::error::{ApiError, Result};
use crate::http::extract::{Json, Path, Priority, Query, limit};
use crate::http::openapi::Conflict;
use crate::http::uploads::fields;
use crate::intake::queue::{self, Origin, Taken, Wanted};
use crate::responses::intake::{self, Intake};
use crate::responses::page::Page;

const MOST_ITEMS: usize = 1000;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(upload_batch))
        .routes(routes!(list_intake))
        .routes(routes!(get_intake, cancel_intake))
        .routes(routes!(retry_intake))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Batch {
    #[schema(min_items = 1, max_items = 1000)]
    items: Vec<BatchItem>,
}

/// A file to import: `url` or `path`, not both.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BatchItem {
    /// Downloaded by the server; from private networks only if the settings allow them.
    url: Option<String>,
    /// A file on the server, in a folder listed in `intake_dirs`.
    path: Option<String>,
    title: Option<String>,
    collection: Option<String>,
    /// Default: that of the collection.
    priority: Option<Priority>,
    /// Default: the whole ladder.
    qualities: Option<Vec<String>>,
    /// Encode again even if the same content already exists.
    #[serde(default)]
    force: bool,
}

impl BatchItem {
    /// The outer error is one of the whole request, the inner one of this item.
    fn wanted(self) -> Result<Result<Wanted>> {
        let priority = self.priority.map(Priority::value).transpose()?;
        let from = match (self.url, self.path) {
            (Some(url), None) => Origin::Url(url),
            (None, Some(path)) => Origin::Path(path),
            _ => return Ok(Err(ApiError::bad_request("bad_item", "Send either `url` or `path`, not both."))),
        };
        let mut request = fields::empty();
        request.title = self.title;
        request.collection = self.collection;
        request.qualities = self.qualities;
        request.force = self.force;
        (request.priority, request.priority_named) = (priority.unwrap_or_default(), priority.is_some());
        Ok(Ok(Wanted { from, request }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ItemStatus {
    /// It is imported in the background.
    Accepted,
    /// The same import is already in progress.
    Duplicate,
    Refused,
}

/// Result of one item.
#[derive(Serialize, ToSchema)]
struct ItemResult {
    status: ItemStatus,
    /// The import, at `/api/intake/{id}`.
    intake_id: Option<IntakeId>,
    /// Why it was refused, as a stable code for programs.
    code: Option<&'static str>,
    reason: Option<String>,
}

/// Result of each item, in the order of the request.
#[derive(Serialize, ToSchema)]
struct BatchReport {
    accepted: usize,
    duplicates: usize,
    refused: usize,
    results: Vec<ItemResult>,
}

impl From<Taken> for ItemResult {
    fn from(taken: Taken) -> Self {
        match taken {
            Taken::Accepted(id) => Self::of(ItemStatus::Accepted, id),
            Taken::Duplicate(id) => Self::of(ItemStatus::Duplicate, id),
            Taken::Refused(error) => Self {
                status: ItemStatus::Refused,
                intake_id: None,
                code: Some(error.code),
                reason: Some(error.detail),
            },
        }
    }
}

impl ItemResult {
    fn of(status: ItemStatus, id: IntakeId) -> Self {
        Self { status, intake_id: Some(id), code: None, reason: None }
    }
}

/// Import files by URL or path
///
/// Responds at once: each item is accepted, a duplicate, or refused. `GET /api/intake` shows the progress.
#[utoipa::path(post, path = "/api/videos/batch", tag = "uploads", request_body = Batch,
    responses((status = 202, body = BatchReport)))]
async fn upload_batch(
    Fetcher(actor): Fetcher,
    State(app): State<App>,
    Json(batch): Json<Batch>,
) -> Result<(StatusCode, Json<BatchReport>)> {
    if !(1..=MOST_ITEMS).contains(&batch.items.len()) {
        let detail = format!("Send 1 to {MOST_ITEMS} items per request.");
        return Err(ApiError::bad_request("bad_batch", detail));
    }
    let items = batch.items.into_iter().map(BatchItem::wanted).collect::<Result<Vec<_>>>()?;
    let taken = queue::add(&app, items, &actor).await?;
    let results: Vec<ItemResult> = taken.into_iter().map(ItemResult::from).collect();
    let count = |status| results.iter().filter(|result| result.status == status).count();
    let report = BatchReport {
        accepted: count(ItemStatus::Accepted),
        duplicates: count(ItemStatus::Duplicate),
        refused: count(ItemStatus::Refused),
        results,
    };
    Ok((StatusCode::ACCEPTED, Json(report)))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct IntakeQuery {
    #[param(nullable = false)]
    state: Option<IntakeState>,
    #[param(nullable = false, pattern = "^[0-9a-f]{48}$")]
    cursor: Option<String>,
    /// Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// List imports, newest first
#[utoipa::path(get, path = "/api/intake", tag = "uploads", params(IntakeQuery),
    responses((status = 200, body = Page<Intake>)))]
async fn list_intake(
    _: Reader,
    State(app): State<App>,
    Query(query): Query<IntakeQuery>,
) -> Result<Json<Page<Intake>>> {
    Ok(Json(intake::list(&app, query.state, query.cursor.as_deref(), limit(query.limit)?).await?))
}

/// Get an import
#[utoipa::path(get, path = "/api/intake/{id}", tag = "uploads", params(("id" = IntakeId, Path)),
    responses((status = 200, body = Intake)))]
async fn get_intake(_: Reader, State(app): State<App>, Path(id): Path<IntakeId>) -> Result<Json<Intake>> {
    Ok(Json(intake::get(&app, id).await?))
}

/// Cancel a waiting or running import
#[utoipa::path(delete, path = "/api/intake/{id}", tag = "uploads", params(("id" = IntakeId, Path)),
    responses((status = 204), Conflict))]
async fn cancel_intake(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<IntakeId>,
) -> Result<StatusCode> {
    queue::cancel(&app, id, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Retry a failed or cancelled import
#[utoipa::path(post, path = "/api/intake/{id}/retry", tag = "uploads", params(("id" = IntakeId, Path)),
    responses((status = 202, body = Intake), Conflict))]
async fn retry_intake(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<IntakeId>,
) -> Result<(StatusCode, Json<Intake>)> {
    queue::retry(&app, id, &actor).await?;
    Ok((StatusCode::ACCEPTED, Json(intake::get(&app, id).await?)))
}
