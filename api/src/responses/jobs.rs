//! Jobs with names, derived state and reasons.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{CollectionId, JobId, VideoId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{AttemptOutcome, JobState, JobStatus, Step};
use serde::Serialize;
use utoipa::ToSchema;

use super::events::{self, Event};
use super::names::{self, Wanted};
use super::page::{self, Page};
use crate::app::App;
use crate::db::job::attempts::AttemptRow;
use crate::db::job::lists::JobFilter;
use crate::db::job::{JobRow, Retranscode};
use crate::db::{job, videos};
use crate::error::{ApiError, Result};
use crate::estimate::{Eta, Outlook, Waiting};
use crate::lifecycle::queues::explain;

/// A unit of work on a video.
#[derive(Debug, Serialize, ToSchema)]
pub struct Job {
    pub id: JobId,
    /// Increasing number, the short name of the job.
    pub number: i64,
    pub video_id: VideoId,
    pub video_title: String,
    pub collection: Option<String>,
    pub queue_type: QueueType,
    pub status: JobStatus,
    /// Derived from the status and the time.
    pub state: JobState,
    pub priority: i32,
    /// Position among the claimable jobs, from 1; null if it is not claimable, or too far back.
    pub position: Option<i64>,
    /// Why a waiting job is waiting.
    pub waiting: Option<Waiting>,
    /// The text of `waiting`.
    pub waiting_reason: Option<String>,
    /// Estimated completion, if known.
    pub eta: Option<Eta>,
    pub error: Option<String>,
    pub error_class: Option<ErrorClass>,
    /// Explanation of `error_class`.
    pub error_hint: Option<String>,
    pub results: Option<serde_json::Value>,
    pub enqueued_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
    pub retry_after: Option<DateTime<Utc>>,
    pub generation: i32,
    pub fence: i64,
    pub worker_id: Option<WorkerId>,
    pub worker_name: Option<String>,
    pub claimed_at: Option<DateTime<Utc>>,
    pub claim_expires_at: Option<DateTime<Utc>>,
    pub attempt_number: i32,
    pub failure_count: i32,
    pub lost_count: i32,
    pub max_attempts: i32,
    pub max_lost: i32,
    pub requeue_count: i32,
    pub processed_by_worker_id: Option<WorkerId>,
    pub processed_by_worker_name: Option<String>,
    pub current_step: Option<Step>,
    pub progress_percent: f64,
    /// Remaining time as last reported by the worker; null unless the job is running and the worker knows.
    pub eta_seconds: Option<f64>,
    pub last_checkpoint: Option<DateTime<Utc>>,
    /// Request of a waiting re-transcode.
    pub retranscode_metadata: Option<Retranscode>,
}

/// One claim of a job.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attempt {
    pub number: i32,
    pub fence: i64,
    pub worker_id: WorkerId,
    pub worker_name: String,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub outcome: Option<AttemptOutcome>,
    pub error_class: Option<String>,
    pub error: Option<String>,
    /// The end of the encoder log; null unless the attempt failed and the log was reported.
    pub log: Option<String>,
}

/// A job with its history.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobDetail {
    pub job: Job,
    pub attempts: Vec<Attempt>,
    /// Oldest first.
    pub timeline: Vec<Event>,
}

/// A filter of jobs; a collection by its name.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<JobStatus>,
    pub queue_type: Option<QueueType>,
    pub collection: Option<String>,
    pub active: bool,
    pub worker: Option<WorkerId>,
    pub video: Option<VideoId>,
    pub search: Option<String>,
    pub error_class: Option<ErrorClass>,
}

impl Filter {
    /// What it asks for, to be put behind a count: ` (queue transcode, collection news)`; nothing if it asks for nothing.
    pub fn words(&self) -> String {
        let words = [
            self.status.map(|status| format!("status {status}")),
            self.queue_type.map(|kind| format!("queue {kind}")),
            self.collection.as_ref().map(|name| format!("collection {name}")),
            self.error_class.map(|class| format!("error {class}")),
            self.worker.map(|worker| format!("worker {worker}")),
            self.video.map(|video| format!("video {video}")),
            self.search.as_ref().map(|text| format!("title with {text:?}")),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
    }

    /// The filter for `db`; `None` if nothing can match.
    pub async fn resolve(&self, app: &App) -> Result<Option<JobFilter>> {
        let collection = match names::wanted(app, self.collection.as_deref()).await? {
            Wanted::Any => None,
            Wanted::One(id) => Some(id),
            Wanted::Unknown => return Ok(None),
        };
        let Self { status, queue_type, active, worker, video, error_class, .. } = *self;
        let search = self.search.as_deref().and_then(names::searched);
        let ids = None;
        Ok(Some(JobFilter {
            status,
            queue_type,
            collection,
            active,
            worker,
            video,
            search,
            error_class,
            ids,
        }))
    }
}

/// Newest first.
pub async fn list(app: &App, filter: &Filter, cursor: Option<&str>, limit: u16) -> Result<Page<Job>> {
    let before = page::parse_number(cursor)?;
    let Some(filter) = filter.resolve(app).await? else { return Ok(Page::whole(Vec::new())) };
    let rows = job::lists::list(&app.db, &filter, before, page::rows_for(limit)).await?;
    let context = Context::load(app, &rows).await?;
    Ok(Page::cut(rows, limit, |row| page::number_cursor(row.number), |row| context.view(row)))
}

pub async fn get(app: &App, id: JobId) -> Result<JobDetail> {
    detail(app, job::get(&app.db, id).await?).await
}

pub async fn by_number(app: &App, number: i64) -> Result<JobDetail> {
    detail(app, job::by_number(&app.db, number).await?).await
}

async fn detail(app: &App, row: Option<JobRow>) -> Result<JobDetail> {
    let row = row.ok_or_else(|| ApiError::no_such("job"))?;
    let id = row.id;
    let attempts = job::attempts::of_job(&app.db, id).await?.into_iter().map(Attempt::from).collect();
    Ok(JobDetail { job: of(app, row).await?, attempts, timeline: events::of_job(app, id).await? })
}

pub async fn of(app: &App, row: JobRow) -> Result<Job> {
    Ok(Context::load(app, std::slice::from_ref(&row)).await?.view(row))
}

pub(super) async fn of_rows(app: &App, rows: Vec<JobRow>) -> Result<Vec<Job>> {
    let context = Context::load(app, &rows).await?;
    Ok(rows.into_iter().map(|row| context.view(row)).collect())
}

/// All jobs of a video, newest first.
pub(super) async fn of_video(app: &App, video: VideoId) -> Result<Vec<Job>> {
    of_rows(app, job::of_video(&app.db, video).await?).await
}

/// The head of the transcode queue.
#[derive(Debug, Serialize, ToSchema)]
pub struct Next {
    /// In the order in which they will be claimed.
    pub items: Vec<Job>,
    /// All waiting jobs, including those that are not due yet.
    pub total: i64,
}

pub async fn next(app: &App, limit: u16) -> Result<Next> {
    let order = job::outlook::due(&app.db, QueueType::Transcode, limit.into()).await?;
    let ids: Vec<JobId> = order.into_iter().map(|job| job.id).collect();
    let mut rows = job::by_ids(&app.db, &ids).await?;
    // One that was taken between the two looks has no place any more.
    rows.retain(|row| row.status == JobStatus::Pending);
    rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
    let filter = JobFilter { queue_type: Some(QueueType::Transcode), ..JobFilter::default() };
    let counts = job::lists::counts(&app.db, &filter).await?;
    let waiting = counts.iter().filter(|row| row.status == JobStatus::Pending);
    Ok(Next { total: waiting.map(|row| row.count).sum(), items: of_rows(app, rows).await? })
}

/// What the rows alone do not say.
pub(super) struct Context {
    now: DateTime<Utc>,
    collections: HashMap<CollectionId, String>,
    workers: HashMap<WorkerId, String>,
    titles: HashMap<VideoId, String>,
    pub(super) outlook: Outlook,
}

impl Context {
    pub(super) async fn load(app: &App, rows: &[JobRow]) -> Result<Self> {
        let videos: Vec<VideoId> = rows.iter().map(|row| row.video_id).collect();
        Ok(Self {
            now: app.clock.now(),
            collections: names::of_collections(app).await?,
            workers: names::of_workers(app).await?,
            titles: videos::titles(&app.db, &videos).await?.into_iter().collect(),
            outlook: Outlook::load(app).await?,
        })
    }

    pub(super) fn view(&self, row: JobRow) -> Job {
        let is_waiting = row.status == JobStatus::Pending;
        let waiting = self.outlook.waiting(&row);
        Job {
            state: row.state(self.now),
            position: self.outlook.position(row.id).filter(|_| is_waiting),
            waiting_reason: waiting.as_ref().map(|waiting| waiting.text.clone()),
            waiting,
            eta: self.outlook.eta(&row),
            video_title: self.titles.get(&row.video_id).cloned().unwrap_or_default(),
            collection: row.collection_id.and_then(|id| self.collections.get(&id).cloned()),
            worker_name: row.worker_id.and_then(|id| self.workers.get(&id).cloned()),
            error_hint: row.error_class.map(|class| explain(class).to_owned()),
            retranscode_metadata: row.retranscode.filter(|_| is_waiting).map(|json| json.0),
            results: row.results.map(|json| json.0),
            id: row.id,
            number: row.number,
            video_id: row.video_id,
            queue_type: row.queue_type,
            status: row.status,
            priority: row.priority,
            error: row.error,
            error_class: row.error_class,
            enqueued_at: row.enqueued_at,
            started_at: row.started_at,
            completed_at: row.finished_at,
            retry_after: row.retry_after,
            generation: row.generation,
            fence: row.fence,
            worker_id: row.worker_id,
            claimed_at: row.claimed_at,
            claim_expires_at: row.claim_expires_at,
            attempt_number: row.attempt_number,
            failure_count: row.failure_count,
            lost_count: row.lost_count,
            max_attempts: row.max_attempts,
            max_lost: row.max_lost,
            requeue_count: row.requeue_count,
            processed_by_worker_id: row.processed_by_worker_id,
            processed_by_worker_name: row.processed_by_worker_name,
            current_step: row.current_step,
            progress_percent: row.progress_percent,
            eta_seconds: row.eta_seconds.filter(|_| row.status == JobStatus::Running),
            last_checkpoint: row.last_checkpoint,
        }
    }
}

impl From<AttemptRow> for Attempt {
    fn from(row: AttemptRow) -> Self {
        let AttemptRow {
            fence,
            number,
            worker_id,
            worker_name,
            started_at,
            ended_at,
            outcome,
            error_class,
            error,
            log,
            ..
        } = row;
        Self { number, fence, worker_id, worker_name, started_at, ended_at, outcome, error_class, error, log }
    }
}
