//! Collections: named groups of videos with their own settings.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Manager, Reader};
use crate::error::Result;
use crate::http::extract::{Json, Path, Priority, Whole, present};
use crate::http::openapi::Conflict;
use crate::lifecycle::collections as rules;
use crate::responses::collections::{self, Collection, Collections};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_collections, create_collection)).routes(routes!(
        get_collection,
        change_collection,
        delete_collection
    ))
}

/// List collections with their settings and counts
#[utoipa::path(get, path = "/api/collections", tag = "videos", responses((status = 200, body = Collections)))]
async fn list_collections(_: Reader, State(app): State<App>) -> Result<Json<Collections>> {
    Ok(Json(collections::all(&app).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewCollection {
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    name: String,
    /// In the format of the setting `ladder`: `1080p:5000,720p:2500:hevc`; null uses the farm's default.
    ladder: Option<String>,
    /// Default for new jobs.
    priority: Option<Priority>,
    /// Days until finished jobs are removed from the history; null uses the farm's default.
    #[schema(value_type = Option<i32>, minimum = 0, maximum = 36_500)]
    completed_retention_days: Option<Whole>,
    /// `keep`, `delete_after_ready`, or a number of days; null uses the farm's default.
    #[schema(value_type = Option<String>, pattern = "^(keep|delete_after_ready|[1-9][0-9]{0,3}|[12][0-9]{4}|3[0-5][0-9]{3}|36[0-4][0-9]{2}|36500)$")]
    source_retention: Option<String>,
}

/// Create a collection
#[utoipa::path(post, path = "/api/collections", tag = "videos", request_body = NewCollection,
    responses((status = 201, body = Collection), Conflict))]
async fn create_collection(
    Manager(actor): Manager,
    State(app): State<App>,
    Json(new): Json<NewCollection>,
) -> Result<(StatusCode, Json<Collection>)> {
    let change = rules::Change {
        ladder: Some(new.ladder),
        priority: new.priority.map(Priority::value).transpose()?,
        completed_retention_days: Some(new.completed_retention_days.map(|Whole(days)| days)),
        source_retention: Some(new.source_retention),
    };
    rules::create(&app, &new.name, change, &actor).await?;
    Ok((StatusCode::CREATED, Json(collections::get(&app, new.name.trim()).await?)))
}

/// Get a collection with its settings and counts
#[utoipa::path(get, path = "/api/collections/{name}", tag = "videos", params(("name" = String, Path)),
    responses((status = 200, body = Collection)))]
async fn get_collection(
    _: Reader,
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<Collection>> {
    Ok(Json(collections::get(&app, &name).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::option_option, reason = "absent, null and a value are three things")]
struct CollectionChange {
    /// Videos that are already planned keep their qualities; null uses the farm's default.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    ladder: Option<Option<String>>,
    priority: Option<Priority>,
    /// Null uses the farm's default.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<i32>, minimum = 0, maximum = 36_500)]
    completed_retention_days: Option<Option<Whole>>,
    /// `keep`, `delete_after_ready`, or a number of days; null uses the farm's default.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^(keep|delete_after_ready|[1-9][0-9]{0,3}|[12][0-9]{4}|3[0-5][0-9]{3}|36[0-4][0-9]{2}|36500)$")]
    source_retention: Option<Option<String>>,
}

/// Update the settings of a collection
#[utoipa::path(patch, path = "/api/collections/{name}", tag = "videos", params(("name" = String, Path)),
    request_body = CollectionChange, responses((status = 200, body = Collection)))]
async fn change_collection(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(name): Path<String>,
    Json(change): Json<CollectionChange>,
) -> Result<Json<Collection>> {
    let change = rules::Change {
        ladder: change.ladder,
        priority: change.priority.map(Priority::value).transpose()?,
        completed_retention_days: change.completed_retention_days.map(|days| days.map(|Whole(days)| days)),
        source_retention: change.source_retention,
    };
    rules::change(&app, &name, change, &actor).await?;
    Ok(Json(collections::get(&app, &name).await?))
}

/// Delete a collection
///
/// Its videos and their jobs are kept, without a collection.
#[utoipa::path(delete, path = "/api/collections/{name}", tag = "videos", params(("name" = String, Path)),
    responses((status = 204)))]
async fn delete_collection(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<StatusCode> {
    rules::delete(&app, &name, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}
