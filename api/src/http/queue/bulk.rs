//! Bulk changes of jobs, by filter or ids.

use axum::extract::State;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::queue::{QueueType, SkipReason};
use framefarm_shared::state::JobStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Manager;
use crate::error::{ApiError, Result};
use crate::http::extract::{Json, Priority, Query};
use crate::lifecycle::bulk::{Choice, Skipped};
use crate::lifecycle::retry_many::retry_many;
use crate::lifecycle::{priority, queues};
use crate::responses::jobs::Filter;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(retry_errors))
        .routes(routes!(clear_completed))
        .routes(routes!(clear_errors))
        .routes(routes!(requeue_jobs))
        .routes(routes!(set_priorities))
}

/// Maximum number of ids in a request.
const MOST_IDS: usize = 10_000;

/// A filter of jobs; all if empty.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Scope {
    /// One of the statuses that the operation applies to.
    #[param(nullable = false)]
    status: Option<JobStatus>,
    #[param(nullable = false)]
    queue_type: Option<QueueType>,
    /// Collection name.
    #[param(nullable = false)]
    collection: Option<String>,
    /// Part of the video title.
    #[param(nullable = false)]
    search: Option<String>,
    #[param(nullable = false)]
    error_class: Option<ErrorClass>,
    /// Worker that last ran the job.
    #[param(nullable = false)]
    worker: Option<WorkerId>,
    #[param(nullable = false)]
    video: Option<VideoId>,
    /// Only report what would change.
    #[serde(default)]
    dry_run: bool,
}

impl Scope {
    fn filter(&self) -> Filter {
        let Self { status, queue_type, error_class, worker, video, .. } = *self;
        let (collection, search) = (self.collection.clone(), self.search.clone());
        Filter { status, queue_type, collection, active: false, worker, video, search, error_class }
    }
}

/// A filter of jobs; an empty one matches all that the operation applies to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct JobsFilter {
    /// One of the statuses that the operation applies to.
    status: Option<JobStatus>,
    queue_type: Option<QueueType>,
    /// Collection name.
    collection: Option<String>,
    /// Part of the video title.
    search: Option<String>,
    error_class: Option<ErrorClass>,
    /// Worker that last ran the job.
    worker: Option<WorkerId>,
    video: Option<VideoId>,
}

impl JobsFilter {
    fn filter(&self) -> Filter {
        let Self { status, queue_type, error_class, worker, video, .. } = *self;
        let (collection, search) = (self.collection.clone(), self.search.clone());
        Filter { status, queue_type, collection, active: false, worker, video, search, error_class }
    }
}

/// Either `ids` or `filter`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RequeueRequest {
    #[schema(max_items = 10_000)]
    ids: Option<Vec<JobId>>,
    filter: Option<JobsFilter>,
    /// Only report what would change.
    #[serde(default)]
    dry_run: bool,
}

/// Either `ids` or `filter`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PriorityRequest {
    priority: Priority,
    #[schema(max_items = 10_000)]
    ids: Option<Vec<JobId>>,
    filter: Option<JobsFilter>,
    /// Only report what would change.
    #[serde(default)]
    dry_run: bool,
}

async fn choice(app: &App, ids: Option<Vec<JobId>>, filter: Option<&JobsFilter>) -> Result<Choice> {
    match (ids, filter) {
        (Some(ids), None) if ids.len() > MOST_IDS => {
            let detail = format!("At most {MOST_IDS} ids per request; send the rest in another one.");
            Err(ApiError::bad_request("too_many_ids", detail))
        }
        (Some(ids), None) => Ok(Choice::Ids(ids)),
        (None, Some(filter)) => matching(app, &filter.filter()).await,
        _ => {
            let detail = "Send either `ids` or a `filter` (`{}` matches all jobs), not both.";
            Err(ApiError::bad_request("bad_choice", detail))
        }
    }
}

async fn matching(app: &App, filter: &Filter) -> Result<Choice> {
    Ok(filter.resolve(app).await?.map_or(Choice::Nobody, Choice::Matching))
}

/// Number of jobs skipped for a reason.
#[derive(Serialize, ToSchema)]
struct SkippedFor {
    reason: SkipReason,
    count: u64,
}

#[derive(Serialize, ToSchema)]
struct SkippedJob {
    id: JobId,
    /// Null if the job does not exist.
    number: Option<i64>,
    reason: SkipReason,
}

fn told(skipped: Skipped) -> (u64, Vec<SkippedFor>, Vec<SkippedJob>) {
    let total = skipped.total();
    let reasons = skipped.counts.into_iter().map(|(reason, count)| SkippedFor { reason, count });
    let named = skipped.first.into_iter().map(|job| SkippedJob {
        id: job.id,
        number: job.number,
        reason: job.reason,
    });
    (total, reasons.collect(), named.collect())
}

#[derive(Serialize, ToSchema)]
struct RetryReport {
    retried: u64,
    /// Number of skipped jobs.
    skipped: u64,
    /// Skipped jobs by reason.
    reasons: Vec<SkippedFor>,
    /// The first skipped jobs.
    skipped_jobs: Vec<SkippedJob>,
    /// If true, nothing was changed.
    dry_run: bool,
}

async fn retry(app: &App, choice: Choice, actor: &str, dry_run: bool) -> Result<Json<RetryReport>> {
    let done = retry_many(app, choice, actor, dry_run).await?;
    let (skipped, reasons, skipped_jobs) = told(done.skipped);
    Ok(Json(RetryReport { retried: done.retried, skipped, reasons, skipped_jobs, dry_run }))
}

/// Retry failed and cancelled jobs
#[utoipa::path(post, path = "/api/queue/retry-errors", tag = "queue", params(Scope), responses((status = 200, body = RetryReport)))]
async fn retry_errors(
    Manager(actor): Manager,
    State(app): State<App>,
    Query(scope): Query<Scope>,
) -> Result<Json<RetryReport>> {
    retry(&app, matching(&app, &scope.filter()).await?, &actor, scope.dry_run).await
}

/// Requeue failed and cancelled jobs, by ids or filter
#[utoipa::path(post, path = "/api/queue/requeue", tag = "queue", request_body = RequeueRequest,
    responses((status = 200, body = RetryReport)))]
async fn requeue_jobs(
    Manager(actor): Manager,
    State(app): State<App>,
    Json(request): Json<RequeueRequest>,
) -> Result<Json<RetryReport>> {
    let choice = choice(&app, request.ids, request.filter.as_ref()).await?;
    retry(&app, choice, &actor, request.dry_run).await
}

#[derive(Serialize, ToSchema)]
struct PriorityReport {
    changed: u64,
    /// Number of jobs that already had this priority.
    unchanged: u64,
    /// Number of skipped jobs.
    skipped: u64,
    /// Skipped jobs by reason.
    reasons: Vec<SkippedFor>,
    /// The first skipped jobs.
    skipped_jobs: Vec<SkippedJob>,
    /// If true, nothing was changed.
    dry_run: bool,
}

/// Set the priority of waiting jobs, by ids or filter
#[utoipa::path(post, path = "/api/queue/priority", tag = "queue", request_body = PriorityRequest,
    responses((status = 200, body = PriorityReport)))]
async fn set_priorities(
    Manager(actor): Manager,
    State(app): State<App>,
    Json(request): Json<PriorityRequest>,
) -> Result<Json<PriorityReport>> {
    let choice = choice(&app, request.ids, request.filter.as_ref()).await?;
    let priority = request.priority.value()?;
    let done = priority::set_many(&app, choice, priority, &actor, request.dry_run).await?;
    let (skipped, reasons, skipped_jobs) = told(done.skipped);
    let (changed, unchanged, dry_run) = (done.changed, done.unchanged, request.dry_run);
    Ok(Json(PriorityReport { changed, unchanged, skipped, reasons, skipped_jobs, dry_run }))
}

#[derive(Serialize, ToSchema)]
struct Cleared {
    cleared: u64,
    /// If true, nothing was changed.
    dry_run: bool,
}

/// Remove completed jobs from the history
#[utoipa::path(post, path = "/api/queue/clear-completed", tag = "queue", params(Scope),
    responses((status = 200, body = Cleared)))]
async fn clear_completed(
    Manager(actor): Manager,
    State(app): State<App>,
    Query(scope): Query<Scope>,
) -> Result<Json<Cleared>> {
    clear(&app, &scope, &[JobStatus::Completed], &actor).await
}

/// Remove failed and cancelled jobs from the history
#[utoipa::path(post, path = "/api/queue/clear-errors", tag = "queue", params(Scope),
    responses((status = 200, body = Cleared)))]
async fn clear_errors(
    Manager(actor): Manager,
    State(app): State<App>,
    Query(scope): Query<Scope>,
) -> Result<Json<Cleared>> {
    clear(&app, &scope, &[JobStatus::Failed, JobStatus::Cancelled], &actor).await
}

async fn clear(app: &App, scope: &Scope, statuses: &[JobStatus], actor: &str) -> Result<Json<Cleared>> {
    let (asked, dry_run) = (scope.filter(), scope.dry_run);
    let cleared = match asked.resolve(app).await? {
        Some(filter) => queues::clear(app, &filter, statuses, &asked.words(), actor, dry_run).await?.cleared,
        None => 0,
    };
    Ok(Json(Cleared { cleared, dry_run }))
}
