//! Changes of many jobs at once: by a filter, or by their ids.

use axum::extract::State;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::queue::{QueueType, SkipReason};
use framefarm_shared::state::JobStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Priority, Query};
use crate::app::App;
use crate::auth::Manager;
use crate::error::{ApiError, Result};
use crate::lifecycle::bulk::{Choice, Skipped};
use crate::lifecycle::retry_many::retry_many;
use crate::lifecycle::{priority, queues};
use crate::views::jobs::Filter;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(retry_errors))
        .routes(routes!(clear_completed))
        .routes(routes!(clear_errors))
        .routes(routes!(requeue_jobs))
        .routes(routes!(set_priorities))
}

/// As many ids may be named at once.
const MOST_IDS: usize = 10_000;

/// Which jobs are meant; all if nothing is named.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Scope {
    /// One of those that the call is about.
    #[param(nullable = false)]
    status: Option<JobStatus>,
    #[param(nullable = false)]
    queue_type: Option<QueueType>,
    /// Name of a collection.
    #[param(nullable = false)]
    collection: Option<String>,
    /// Part of the video's title.
    #[param(nullable = false)]
    search: Option<String>,
    #[param(nullable = false)]
    error_class: Option<ErrorClass>,
    /// Who did it last.
    #[param(nullable = false)]
    worker: Option<WorkerId>,
    #[param(nullable = false)]
    video: Option<VideoId>,
    /// Only say what would happen.
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

/// Which jobs are meant; an empty filter means all that the call is about.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct JobsFilter {
    /// One of those that the call is about.
    status: Option<JobStatus>,
    queue_type: Option<QueueType>,
    /// Name of a collection.
    collection: Option<String>,
    /// Part of the video's title.
    search: Option<String>,
    error_class: Option<ErrorClass>,
    /// Who did it last.
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
    /// Only say what would happen.
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
    /// Only say what would happen.
    #[serde(default)]
    dry_run: bool,
}

async fn choice(app: &App, ids: Option<Vec<JobId>>, filter: Option<&JobsFilter>) -> Result<Choice> {
    match (ids, filter) {
        (Some(ids), None) if ids.len() > MOST_IDS => {
            let detail = format!("At most {MOST_IDS} ids go into one call; send the rest with another.");
            Err(ApiError::bad_request("too_many_ids", detail))
        }
        (Some(ids), None) => Ok(Choice::Ids(ids)),
        (None, Some(filter)) => matching(app, &filter.filter()).await,
        _ => {
            let detail = "Say which jobs: `ids`, or a `filter` (`{}` means all of them); not both.";
            Err(ApiError::bad_request("bad_choice", detail))
        }
    }
}

async fn matching(app: &App, filter: &Filter) -> Result<Choice> {
    Ok(filter.resolve(app).await?.map_or(Choice::Nobody, Choice::Matching))
}

/// So many jobs were left alone for this reason.
#[derive(Serialize, ToSchema)]
struct SkippedFor {
    reason: SkipReason,
    count: u64,
}

#[derive(Serialize, ToSchema)]
struct SkippedJob {
    id: JobId,
    /// Null if there is no such job.
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
    /// Left alone.
    skipped: u64,
    /// Why, and how many each.
    reasons: Vec<SkippedFor>,
    /// The first of them.
    skipped_jobs: Vec<SkippedJob>,
    /// Nothing was changed.
    dry_run: bool,
}

async fn retry(app: &App, choice: Choice, actor: &str, dry_run: bool) -> Result<Json<RetryReport>> {
    let done = retry_many(app, choice, actor, dry_run).await?;
    let (skipped, reasons, skipped_jobs) = told(done.skipped);
    Ok(Json(RetryReport { retried: done.retried, skipped, reasons, skipped_jobs, dry_run }))
}

/// Try failed and cancelled jobs again
#[utoipa::path(post, path = "/api/queue/retry-errors", tag = "queue", params(Scope), responses((status = 200, body = RetryReport)))]
async fn retry_errors(
    Manager(actor): Manager,
    State(app): State<App>,
    Query(scope): Query<Scope>,
) -> Result<Json<RetryReport>> {
    retry(&app, matching(&app, &scope.filter()).await?, &actor, scope.dry_run).await
}

/// Put failed and cancelled jobs back, by their ids or by a filter
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
    /// They had this priority before.
    unchanged: u64,
    /// Left alone.
    skipped: u64,
    /// Why, and how many each.
    reasons: Vec<SkippedFor>,
    /// The first of them.
    skipped_jobs: Vec<SkippedJob>,
    /// Nothing was changed.
    dry_run: bool,
}

/// Move waiting jobs forward or back, by their ids or by a filter
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
    /// Nothing was changed.
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
