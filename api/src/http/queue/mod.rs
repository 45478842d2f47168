//! The queues: their depth and settings.

pub(super) mod bulk;
pub(super) mod jobs;
pub(super) mod transfer;

use axum::extract::State;
use framefarm_shared::queue::{QueueType, RetryMode};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Manager, Reader};
use crate::error::Result;
use crate::http::extract::{Json, Path, Query, Whole, limit, present};
use crate::lifecycle::queues as switches;
use crate::responses::jobs::Filter;
use crate::responses::queues::{self, Counts, Depth, Queues};
use crate::responses::stuck::{self, Stuck};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_queues))
        .routes(routes!(queue_depth))
        .routes(routes!(queue_counts))
        .routes(routes!(stuck_jobs))
        .routes(routes!(change_queue))
        .routes(routes!(pause_queue))
        .routes(routes!(resume_queue))
}

/// A filter of jobs; all if empty.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Scope {
    #[param(nullable = false)]
    queue_type: Option<QueueType>,
    /// Collection name.
    #[param(nullable = false)]
    collection: Option<String>,
    /// Part of the video title.
    #[param(nullable = false)]
    search: Option<String>,
}

impl Scope {
    fn filter(self) -> Filter {
        let Self { queue_type, collection, search } = self;
        Filter { queue_type, collection, search, ..Filter::default() }
    }
}

/// List queues with their settings and depth
#[utoipa::path(get, path = "/api/queue", tag = "queue", responses((status = 200, body = Queues)))]
async fn list_queues(_: Reader, State(app): State<App>) -> Result<Json<Queues>> {
    Ok(Json(queues::all(&app).await?))
}

/// Count jobs by status
#[utoipa::path(get, path = "/api/queue/depth", tag = "queue", params(Scope), responses((status = 200, body = Depth)))]
async fn queue_depth(_: Reader, State(app): State<App>, Query(scope): Query<Scope>) -> Result<Json<Depth>> {
    Ok(Json(queues::depth(&app, &scope.filter()).await?))
}

/// Count jobs by collection, queue and status
///
/// Combinations without jobs are omitted.
#[utoipa::path(get, path = "/api/queue/counts", tag = "queue", responses((status = 200, body = Counts)))]
async fn queue_counts(_: Reader, State(app): State<App>) -> Result<Json<Counts>> {
    Ok(Json(queues::counts(&app).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct StuckQuery {
    /// Minimum running time. Default: 600.
    #[param(nullable = false, minimum = 0, maximum = 4_294_967_295_u64)]
    older_seconds: Option<u32>,
    /// Default: 100.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

/// List jobs that have been running for long, longest first, with the likely reason
#[utoipa::path(get, path = "/api/queue/stuck", tag = "queue", params(StuckQuery), responses((status = 200, body = Stuck)))]
async fn stuck_jobs(
    _: Reader,
    State(app): State<App>,
    Query(query): Query<StuckQuery>,
) -> Result<Json<Stuck>> {
    let older = query.older_seconds.unwrap_or(600);
    Ok(Json(stuck::list(&app, older, limit(query.limit)?).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct QueueChange {
    /// Maximum number of running jobs (1: one at a time); null for no limit.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<i32>, minimum = 1, maximum = 2_147_483_647)]
    #[expect(clippy::option_option, reason = "absent, null and a value are three things")]
    max_running: Option<Option<Whole>>,
    retry_mode: Option<RetryMode>,
}

/// Update the settings of a queue
#[utoipa::path(patch, path = "/api/queue/{queue_type}", tag = "queue", params(("queue_type" = QueueType, Path)),
    request_body = QueueChange, responses((status = 200, body = Queues)))]
async fn change_queue(
    Manager(actor): Manager,
    State(app): State<App>,
    Path(kind): Path<QueueType>,
    Json(change): Json<QueueChange>,
) -> Result<Json<Queues>> {
    let max_running = change.max_running.map(|most| most.map(|Whole(number)| number));
    let change = switches::Change { max_running, retry_mode: change.retry_mode };
    switches::change(&app, kind, change, &actor).await?;
    Ok(Json(queues::all(&app).await?))
}

/// A queue; all if absent.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    #[param(nullable = false)]
    queue_type: Option<QueueType>,
}

/// Pause a queue, or all queues
///
/// No more jobs are handed out; running jobs continue.
#[utoipa::path(post, path = "/api/queue/pause", tag = "queue", params(Which), responses((status = 200, body = Queues)))]
async fn pause_queue(
    Manager(actor): Manager,
    State(app): State<App>,
    Query(which): Query<Which>,
) -> Result<Json<Queues>> {
    switch(&app, &which, true, &actor).await
}

/// Resume a queue, or all queues
#[utoipa::path(post, path = "/api/queue/resume", tag = "queue", params(Which), responses((status = 200, body = Queues)))]
async fn resume_queue(
    Manager(actor): Manager,
    State(app): State<App>,
    Query(which): Query<Which>,
) -> Result<Json<Queues>> {
    switch(&app, &which, false, &actor).await
}

async fn switch(app: &App, which: &Which, paused: bool, actor: &str) -> Result<Json<Queues>> {
    let kinds = which.queue_type.as_ref().map_or(QueueType::ALL, std::slice::from_ref);
    switches::set_paused(app, kinds, paused, actor).await?;
    Ok(Json(queues::all(app).await?))
}
