//! Videos: read, rename, delete, re-transcode.

pub(super) mod collections;
pub(super) mod playback;

use axum::extract::State;
use axum::http::header::CONTENT_DISPOSITION;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::state::VideoStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Manager, Reader};
use crate::error::{Problem, Result};
use crate::http::attachment::attachment;
use crate::http::extract::{Json, Path, Priority, Query, limit, present};
use crate::http::names::VideoName;
use crate::http::openapi::Conflict;
use crate::http::ranged;
use crate::lifecycle::{cancel, delete, edit, play, retranscode, retry};
use crate::responses::jobs::{self, Job};
use crate::responses::page::Page;
use crate::responses::videos::{self, Filter, Video, VideoDetail};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_videos))
        .routes(routes!(get_video, change_video, delete_video))
        .routes(routes!(restore_video))
        .routes(routes!(video_source))
        .routes(routes!(retranscode_video))
        .routes(routes!(retry_video))
        .routes(routes!(cancel_video))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct VideosQuery {
    #[param(nullable = false)]
    status: Option<VideoStatus>,
    /// Collection name.
    #[param(nullable = false)]
    collection: Option<String>,
    /// Part of the title.
    #[param(nullable = false)]
    search: Option<String>,
    #[param(nullable = false, pattern = "^[0-9a-f]{48}$")]
    cursor: Option<String>,
    /// Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// List videos, newest first
#[utoipa::path(get, path = "/api/videos", tag = "videos", params(VideosQuery), responses((status = 200, body = Page<Video>)))]
async fn list_videos(
    _: Reader,
    State(app): State<App>,
    Query(query): Query<VideosQuery>,
) -> Result<Json<Page<Video>>> {
    let limit = limit(query.limit)?;
    let filter = Filter { status: query.status, collection: query.collection, search: query.search };
    Ok(Json(videos::list(&app, filter, query.cursor.as_deref(), limit).await?))
}

/// Get a video by id or slug, with its qualities and jobs
#[utoipa::path(get, path = "/api/videos/{id}", tag = "videos", params(("id" = VideoName, Path)),
    responses((status = 200, body = VideoDetail)))]
async fn get_video(
    _: Reader,
    State(app): State<App>,
    Path(name): Path<VideoName>,
) -> Result<Json<VideoDetail>> {
    Ok(Json(match name {
        VideoName::Id(id) => videos::get(&app, id).await?,
        VideoName::Slug(slug) => videos::by_slug(&app, &slug).await?,
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct VideoChange {
    #[schema(
        min_length = 1,
        max_length = 300,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    title: Option<String>,
    /// Null removes the video from its collection; a new name creates a collection.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$")]
    #[expect(clippy::option_option, reason = "absent, null and a value are three things")]
    collection: Option<Option<String>>,
}

/// Rename a video or move it to another collection
#[utoipa::path(patch, path = "/api/videos/{id}", tag = "videos", params(("id" = VideoId, Path)),
    request_body = VideoChange, responses((status = 200, body = VideoDetail)))]
async fn change_video(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<VideoId>,
    Json(change): Json<VideoChange>,
) -> Result<Json<VideoDetail>> {
    let change = edit::Change { title: change.title, collection: change.collection };
    edit::edit(&app, id, change, &actor).await?;
    Ok(Json(videos::get(&app, id).await?))
}

/// Delete a video
///
/// It can be restored for some hours.
#[utoipa::path(delete, path = "/api/videos/{id}", tag = "videos", params(("id" = VideoId, Path)), responses((status = 204)))]
async fn delete_video(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<VideoId>,
) -> Result<StatusCode> {
    delete::delete(&app, id, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restore a deleted video
#[utoipa::path(post, path = "/api/videos/{id}/restore", tag = "videos", params(("id" = VideoId, Path)),
    responses((status = 200, body = Video)))]
async fn restore_video(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<VideoId>,
) -> Result<Json<Video>> {
    let row = delete::restore(&app, id, &actor).await?;
    Ok(Json(videos::of(&app, row).await?))
}

/// Download the original file
#[utoipa::path(get, path = "/api/videos/{id}/source", tag = "videos", params(("id" = VideoId, Path)), responses(
    (status = 200, description = "The file", content_type = "application/octet-stream"),
    (status = 206, description = "The requested range", content_type = "application/octet-stream"),
    (status = 304, description = "Not modified"),
    (status = 410, description = "The original was removed; `code` is `source_gone`", body = Problem,
        content_type = "application/problem+json"),
    (status = 416, description = "Range not satisfiable", body = Problem,
        content_type = "application/problem+json"),
))]
async fn video_source(
    _: Reader,
    State(app): State<App>,
    Path(id): Path<VideoId>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response> {
    let source = play::source(&app, id).await?;
    let mut response = ranged::serve(&app, &source.key, &source.sha256, &method, &headers).await?;
    response.headers_mut().insert(CONTENT_DISPOSITION, attachment(&source.name)?);
    Ok(response)
}

/// What to encode again: everything, or some qualities.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RetranscodeRequest {
    #[serde(default)]
    retranscode_all: bool,
    /// Qualities of the video to encode again; only without `retranscode_all`.
    #[serde(default)]
    qualities: Vec<String>,
    #[serde(default)]
    delete_captions: bool,
    priority: Option<Priority>,
}

/// Re-transcode a ready video
///
/// The current version stays playable until the new one is complete.
#[utoipa::path(post, path = "/api/videos/{id}/retranscode", tag = "videos", params(("id" = VideoId, Path)),
    request_body = RetranscodeRequest, responses((status = 202, body = Job), Conflict))]
async fn retranscode_video(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<VideoId>,
    Json(request): Json<RetranscodeRequest>,
) -> Result<(StatusCode, Json<Job>)> {
    let RetranscodeRequest { retranscode_all, qualities, delete_captions, priority } = request;
    let priority = priority.map(Priority::value).transpose()?;
    let request = retranscode::Request { retranscode_all, qualities, delete_captions, priority };
    let job = retranscode::retranscode(&app, id, request, &actor).await?;
    Ok((StatusCode::ACCEPTED, Json(jobs::of(&app, job).await?)))
}

/// Retry the failed or cancelled job of a video
#[utoipa::path(post, path = "/api/videos/{id}/retry", tag = "videos", params(("id" = VideoId, Path)),
    responses((status = 202, body = Job), Conflict))]
async fn retry_video(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<VideoId>,
) -> Result<(StatusCode, Json<Job>)> {
    let job = retry::retry_video(&app, id, &actor).await?;
    Ok((StatusCode::ACCEPTED, Json(jobs::of(&app, job).await?)))
}

#[derive(Serialize, ToSchema)]
struct Cancelled {
    cancelled: Vec<JobId>,
}

/// Cancel all jobs of a video
#[utoipa::path(post, path = "/api/videos/{id}/cancel", tag = "videos", params(("id" = VideoId, Path)),
    responses((status = 200, body = Cancelled), Conflict))]
async fn cancel_video(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<VideoId>,
) -> Result<Json<Cancelled>> {
    Ok(Json(Cancelled { cancelled: cancel::cancel_video(&app, id, &actor).await? }))
}
