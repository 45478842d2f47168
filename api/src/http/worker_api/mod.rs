//! The worker protocol: claim, report, release. Sources and parts are in `files`.

pub(super) mod files;
pub(super) mod sidecars;

use std::time::{Duration, Instant};

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use framefarm_shared::id::JobId;
use framefarm_shared::wire::worker_api::{
    ClaimReply, ClaimRequest, CompleteReply, CompleteRequest, FailReply, FailRequest, HeartbeatReply,
    HeartbeatRequest, LeaseReply, PlanReply, PlanRequest, ProgressRequest, RegisterReply, RegisterRequest,
    ReleaseRequest,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Registrar, Worker};
use crate::error::{ApiError, Problem, Result};
use crate::http::extract::{Json, Path};
use crate::http::openapi::{Conflict, NoSuchJob};
use crate::lifecycle;
use crate::worker_limit::A_WAIT;

/// Capabilities and metadata of 10,000 bytes each, however their characters are escaped, and the held jobs.
const MOST_JSON: usize = 160_000;
/// A claim that waited longer asks again whether its key still counts.
const KEY_IS_FRESH: Duration = Duration::from_millis(500);
/// A day in segments of a second, with as many joins and seek points as a plan may have.
const LARGEST_PLAN: usize = 8 * 1024 * 1024;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    let calls = OpenApiRouter::new()
        .routes(routes!(register))
        .routes(routes!(heartbeat))
        .routes(routes!(claim))
        .routes(routes!(progress))
        .routes(routes!(complete))
        .routes(routes!(fail))
        .routes(routes!(release))
        .layer(DefaultBodyLimit::max(MOST_JSON));
    let plan = OpenApiRouter::new().routes(routes!(plan)).layer(DefaultBodyLimit::max(LARGEST_PLAN));
    calls.merge(plan)
}

/// Register a worker and get its key
#[utoipa::path(post, path = "/api/worker/register", tag = "worker", security(("invitation" = []), ("admin_secret" = [])),
    request_body = RegisterRequest, responses((status = 201, body = RegisterReply)))]
async fn register(
    registrar: Registrar,
    State(app): State<App>,
    Json(request): Json<RegisterRequest>,
) -> Result<(StatusCode, Json<RegisterReply>)> {
    let reply = match registrar {
        Registrar::Secret => lifecycle::workers::register(&app, request).await?,
        Registrar::Invited(token) => lifecycle::invite::join(&app, &token, request).await?,
    };
    Ok((StatusCode::CREATED, Json(reply)))
}

/// Send a heartbeat and renew all held leases
#[utoipa::path(post, path = "/api/worker/heartbeat", tag = "worker", security(("worker_key" = [])),
    request_body = HeartbeatRequest, responses((status = 200, body = HeartbeatReply), Conflict))]
async fn heartbeat(
    worker: Worker,
    State(app): State<App>,
    Json(request): Json<HeartbeatRequest>,
) -> Result<Json<HeartbeatReply>> {
    Ok(Json(lifecycle::heartbeat::heartbeat(&app, worker.id, &request).await?))
}

/// Claim the best job, optionally waiting for one
#[utoipa::path(post, path = "/api/worker/claim", tag = "worker", security(("worker_key" = [])),
    request_body = ClaimRequest, responses((status = 200, body = ClaimReply), Conflict,
        (status = 429, description = "Too many claims that found no job; see Retry-After", body = Problem,
            content_type = "application/problem+json")))]
async fn claim(
    worker: Worker,
    State(app): State<App>,
    Json(request): Json<ClaimRequest>,
) -> Result<Json<ClaimReply>> {
    let began = Instant::now();
    let charge = app.worker_limits.empty_claims.charge(worker.id).await?;
    let result = lifecycle::claim::claim(&app, worker.id, &request).await;
    let reply = charge.settle(result, |reply| reply.job.is_some() || began.elapsed() >= A_WAIT)?;
    if let Some(job) = &reply.job
        && began.elapsed() > KEY_IS_FRESH
        && !worker.is_still_known(&app).await?
    {
        let (job_id, fence) = (job.job_id, job.fence);
        let reason = Some("the worker's key was revoked".to_owned());
        lifecycle::release::release(&app, worker.id, &ReleaseRequest { job_id, fence, reason }).await?;
        return Err(ApiError::unauthorized("The worker key was revoked; register the worker again."));
    }
    Ok(Json(reply))
}

/// Submit the plan of a job: where its segments begin
///
/// The first plan of a job stays in force and is returned.
#[utoipa::path(post, path = "/api/worker/jobs/{id}/plan", tag = "worker", security(("worker_key" = [])),
    params(("id" = JobId, Path)), request_body = PlanRequest, responses((status = 200, body = PlanReply), Conflict))]
async fn plan(
    worker: Worker,
    State(app): State<App>,
    Path(id): Path<JobId>,
    Json(request): Json<PlanRequest>,
) -> Result<Json<PlanReply>> {
    Ok(Json(lifecycle::plan::plan(&app, worker.id, id, request).await?))
}

/// Report progress and renew the lease
#[utoipa::path(post, path = "/api/worker/progress", tag = "worker", security(("worker_key" = [])),
    request_body = ProgressRequest, responses((status = 200, body = LeaseReply), NoSuchJob, Conflict))]
async fn progress(
    worker: Worker,
    State(app): State<App>,
    Json(request): Json<ProgressRequest>,
) -> Result<Json<LeaseReply>> {
    Ok(Json(lifecycle::progress::progress(&app, worker.id, &request).await?))
}

/// Complete a job and publish its output
#[utoipa::path(post, path = "/api/worker/complete", tag = "worker", security(("worker_key" = [])),
    request_body = CompleteRequest, responses((status = 200, body = CompleteReply), NoSuchJob, Conflict))]
async fn complete(
    worker: Worker,
    State(app): State<App>,
    Json(request): Json<CompleteRequest>,
) -> Result<Json<CompleteReply>> {
    Ok(Json(lifecycle::complete::complete(&app, worker.id, &request).await?))
}

/// Report a failed attempt
#[utoipa::path(post, path = "/api/worker/fail", tag = "worker", security(("worker_key" = [])),
    request_body = FailRequest, responses((status = 200, body = FailReply), NoSuchJob, Conflict))]
async fn fail(
    worker: Worker,
    State(app): State<App>,
    Json(request): Json<FailRequest>,
) -> Result<Json<FailReply>> {
    Ok(Json(lifecycle::fail::fail(&app, worker.id, &request).await?))
}

/// Release a job without using up an attempt
#[utoipa::path(post, path = "/api/worker/release", tag = "worker", security(("worker_key" = [])),
    request_body = ReleaseRequest, responses((status = 204), NoSuchJob, Conflict))]
async fn release(
    worker: Worker,
    State(app): State<App>,
    Json(request): Json<ReleaseRequest>,
) -> Result<StatusCode> {
    lifecycle::release::release(&app, worker.id, &request).await?;
    Ok(StatusCode::NO_CONTENT)
}
