//! Single jobs of the queues.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Manager, Reader};
use crate::error::Result;
use crate::http::attachment::attachment;
use crate::http::extract::{Json, Path, Priority, Query, limit};
use crate::http::names::JobName;
use crate::http::openapi::Conflict;
use crate::lifecycle::{cancel, priority, retry};
use crate::responses;
use crate::responses::jobs::{self, Filter, Job, JobDetail, Next};
use crate::responses::page::Page;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_jobs))
        .routes(routes!(next_jobs))
        .routes(routes!(get_job))
        .routes(routes!(job_log))
        .routes(routes!(requeue_job))
        .routes(routes!(cancel_job))
        .routes(routes!(set_job_priority))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct JobsQuery {
    #[param(nullable = false)]
    status: Option<JobStatus>,
    #[param(nullable = false)]
    queue_type: Option<QueueType>,
    /// Collection name.
    #[param(nullable = false)]
    collection: Option<String>,
    /// Only waiting and running jobs.
    #[serde(default)]
    active: bool,
    /// Worker that holds the job or last ran it.
    #[param(nullable = false)]
    worker: Option<WorkerId>,
    #[param(nullable = false)]
    video: Option<VideoId>,
    /// Part of the video title.
    #[param(nullable = false)]
    search: Option<String>,
    #[param(nullable = false)]
    error_class: Option<ErrorClass>,
    #[param(nullable = false, pattern = "^[0-9a-f]{16}$")]
    cursor: Option<String>,
    /// Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// List jobs, newest first
#[utoipa::path(get, path = "/api/queue/jobs", tag = "queue", params(JobsQuery), responses((status = 200, body = Page<Job>)))]
async fn list_jobs(
    _: Reader,
    State(app): State<App>,
    Query(query): Query<JobsQuery>,
) -> Result<Json<Page<Job>>> {
    let limit = limit(query.limit)?;
    let JobsQuery { status, queue_type, collection, active, worker, video, search, error_class, .. } = query;
    let filter = Filter { status, queue_type, collection, active, worker, video, search, error_class };
    Ok(Json(jobs::list(&app, &filter, query.cursor.as_deref(), limit).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct NextQuery {
    /// Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// List due transcode jobs, in the order in which they will be claimed
#[utoipa::path(get, path = "/api/queue/next", tag = "queue", params(NextQuery), responses((status = 200, body = Next)))]
async fn next_jobs(_: Reader, State(app): State<App>, Query(query): Query<NextQuery>) -> Result<Json<Next>> {
    Ok(Json(jobs::next(&app, limit(query.limit)?).await?))
}

/// Get a job by id or number, with its attempts and timeline
#[utoipa::path(get, path = "/api/queue/jobs/{id}", tag = "queue", params(("id" = JobName, Path)),
    responses((status = 200, body = JobDetail)))]
async fn get_job(_: Reader, State(app): State<App>, Path(name): Path<JobName>) -> Result<Json<JobDetail>> {
    Ok(Json(match name {
        JobName::Id(id) => jobs::get(&app, id).await?,
        JobName::Number(number) => jobs::by_number(&app, number).await?,
    }))
}

/// Get a job as plain text, with the end of the encoder log of each failed attempt
#[utoipa::path(get, path = "/api/queue/jobs/{id}/log", tag = "queue", params(("id" = JobId, Path)),
    responses((status = 200, description = "A text file", body = String, content_type = "text/plain")))]
async fn job_log(_: Reader, State(app): State<App>, Path(id): Path<JobId>) -> Result<Response> {
    let log = responses::job_log::of(&app, id).await?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
        (CONTENT_DISPOSITION, attachment(&log.file_name)?),
    ];
    Ok((headers, log.text).into_response())
}

#[derive(Serialize, ToSchema)]
struct Requeued {
    /// False if the job is waiting, running, completed or unknown, or if another job does the same work.
    requeued: bool,
}

/// Requeue a failed or cancelled job
#[utoipa::path(post, path = "/api/queue/jobs/{id}/requeue", tag = "queue", params(("id" = JobId, Path)),
    responses((status = 200, body = Requeued)))]
async fn requeue_job(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<JobId>,
) -> Result<Json<Requeued>> {
    Ok(Json(Requeued { requeued: retry::requeue(&app, id, &actor).await? }))
}

/// Cancel a waiting or running job
#[utoipa::path(post, path = "/api/queue/jobs/{id}/cancel", tag = "queue", params(("id" = JobId, Path)),
    responses((status = 200, body = Job), Conflict))]
async fn cancel_job(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<JobId>,
) -> Result<Json<Job>> {
    let job = cancel::cancel_job(&app, id, &actor).await?;
    Ok(Json(jobs::of(&app, job).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PriorityChange {
    priority: Priority,
}

/// Set the priority of a waiting job
#[utoipa::path(post, path = "/api/queue/jobs/{id}/priority", tag = "queue", params(("id" = JobId, Path)),
    request_body = PriorityChange, responses((status = 200, body = Job), Conflict))]
async fn set_job_priority(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(id): Path<JobId>,
    Json(change): Json<PriorityChange>,
) -> Result<Json<Job>> {
    let job = priority::set(&app, id, change.priority.value()?, &actor).await?;
    Ok(Json(jobs::of(&app, job).await?))
}
