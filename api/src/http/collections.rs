//! Collections: named groups of videos with rules of their own.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Path, Priority, Whole, present};
use super::openapi::Conflict;
use crate::app::App;
use crate::auth::{Manager, Reader};
use crate::error::Result;
use crate::lifecycle::collections as rules;
use crate::views::collections::{self, Collection, Collections};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_collections, create_collection)).routes(routes!(
        get_collection,
        change_collection,
        delete_collection
    ))
}

/// Every collection with its rules and counts
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
    /// Written as the setting `ladder`: `1080p:5000,720p:2500:hevc`; null is the farm's ladder.
    ladder: Option<String>,
    /// Of jobs whose uploader names none.
    priority: Option<Priority>,
    /// Days until its finished jobs leave the history; null is the farm's setting.
    #[schema(value_type = Option<i32>, minimum = 0, maximum = 36_500)]
    completed_retention_days: Option<Whole>,
    /// `keep`, `delete_after_ready`, or a number of days; null is the farm's setting.
    #[schema(value_type = Option<String>, pattern = "^(keep|delete_after_ready|[1-9][0-9]{0,3}|[12][0-9]{4}|3[0-5][0-9]{3}|36[0-4][0-9]{2}|36500)$")]
    source_retention: Option<String>,
}

/// Make a collection before anything is in it
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

/// One collection with its rules and counts
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
    /// Videos that are planned already keep their qualities; null is the farm's ladder.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    ladder: Option<Option<String>>,
    priority: Option<Priority>,
    /// Null is the farm's setting.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<i32>, minimum = 0, maximum = 36_500)]
    completed_retention_days: Option<Option<Whole>>,
    /// `keep`, `delete_after_ready`, or a number of days; null is the farm's setting.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^(keep|delete_after_ready|[1-9][0-9]{0,3}|[12][0-9]{4}|3[0-5][0-9]{3}|36[0-4][0-9]{2}|36500)$")]
    source_retention: Option<Option<String>>,
}

/// Change the rules of a collection
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

/// Delete a collection; its videos and their jobs stay, without one
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
