//! Single jobs of the queues.

use axum::extract::State;
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Path, Priority, Query, limit};
use super::names::JobName;
use super::openapi::Conflict;
use crate::app::App;
use crate::auth::{Admin, Reader};
use crate::error::Result;
use crate::lifecycle::{cancel, queues, retry};
use crate::views::jobs::{self, Filter, Job, JobDetail, Next};
use crate::views::page::Page;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_jobs))
        .routes(routes!(next_jobs))
        .routes(routes!(get_job))
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
    /// Name of a collection.
    #[param(nullable = false)]
    collection: Option<String>,
    /// Waiting or running.
    #[serde(default)]
    active: bool,
    /// Who holds it or did it last.
    #[param(nullable = false)]
    worker: Option<WorkerId>,
    #[param(nullable = false)]
    video: Option<VideoId>,
    /// Part of the video's title.
    #[param(nullable = false)]
    search: Option<String>,
    #[param(nullable = false, pattern = "^[0-9a-f]{16}$")]
    cursor: Option<String>,
    /// 100 if absent.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// Jobs, newest first
#[utoipa::path(get, path = "/api/queue/jobs", tag = "queue", params(JobsQuery), responses((status = 200, body = Page<Job>)))]
async fn list_jobs(
    _: Reader,
    State(app): State<App>,
    Query(query): Query<JobsQuery>,
) -> Result<Json<Page<Job>>> {
    let limit = limit(query.limit)?;
    let JobsQuery { status, queue_type, collection, active, worker, video, search, .. } = query;
    let filter = Filter { status, queue_type, collection, active, worker, video, search };
    Ok(Json(jobs::list(&app, &filter, query.cursor.as_deref(), limit).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct NextQuery {
    /// 100 if absent.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// Waiting transcode jobs that are due, in the order in which they will be taken
#[utoipa::path(get, path = "/api/queue/next", tag = "queue", params(NextQuery), responses((status = 200, body = Next)))]
async fn next_jobs(_: Reader, State(app): State<App>, Query(query): Query<NextQuery>) -> Result<Json<Next>> {
    Ok(Json(jobs::next(&app, limit(query.limit)?).await?))
}

/// One job, by its id or its number, with its attempts and its timeline
#[utoipa::path(get, path = "/api/queue/jobs/{id}", tag = "queue", params(("id" = JobName, Path)),
    responses((status = 200, body = JobDetail)))]
async fn get_job(_: Reader, State(app): State<App>, Path(name): Path<JobName>) -> Result<Json<JobDetail>> {
    Ok(Json(match name {
        JobName::Id(id) => jobs::get(&app, id).await?,
        JobName::Number(number) => jobs::by_number(&app, number).await?,
    }))
}

#[derive(Serialize, ToSchema)]
struct Requeued {
    /// False if the job is waiting, running, completed or unknown, or if another job does the same work.
    requeued: bool,
}

/// Put a failed or cancelled job back
#[utoipa::path(post, path = "/api/queue/jobs/{id}/requeue", tag = "queue", params(("id" = JobId, Path)),
    responses((status = 200, body = Requeued)))]
async fn requeue_job(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<JobId>,
) -> Result<Json<Requeued>> {
    Ok(Json(Requeued { requeued: retry::requeue(&app, id, &actor).await? }))
}

/// Stop a waiting or running job
#[utoipa::path(post, path = "/api/queue/jobs/{id}/cancel", tag = "queue", params(("id" = JobId, Path)),
    responses((status = 200, body = Job), Conflict))]
async fn cancel_job(Admin(actor): Admin, State(app): State<App>, Path(id): Path<JobId>) -> Result<Json<Job>> {
    let job = cancel::cancel_job(&app, id, &actor).await?;
    Ok(Json(jobs::of(&app, job).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PriorityChange {
    priority: Priority,
}

/// Move a waiting job forward or back
#[utoipa::path(post, path = "/api/queue/jobs/{id}/priority", tag = "queue", params(("id" = JobId, Path)),
    request_body = PriorityChange, responses((status = 200, body = Job), Conflict))]
async fn set_job_priority(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<JobId>,
    Json(change): Json<PriorityChange>,
) -> Result<Json<Job>> {
    let job = queues::set_priority(&app, id, change.priority.value()?, &actor).await?;
    Ok(Json(jobs::of(&app, job).await?))
}
