//! How the farm is.

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use framefarm_shared::state::{JobStatus, VideoStatus, WorkerStatus};
use serde::Serialize;
use utoipa::ToSchema;

use super::jobs::Filter;
use super::queues::{self, Depth};
use crate::app::App;
use crate::broker::{Broker, BrokerStatus};
use crate::config::JobQueueMode;
use crate::db::{job_lists, videos, workers};
use crate::error::{ApiError, Result};

/// Whether work gets done.
#[derive(Debug, Serialize, ToSchema)]
pub struct FarmHealth {
    pub status: HealthStatus,
    /// What is not as it should be; empty when all is well.
    pub degraded: Vec<String>,
    pub database: Database,
    pub dispatch: DispatchHealth,
    /// Workers that can take a job now or are at work.
    pub active_workers: i64,
    pub pending_jobs: i64,
}

/// Storage, database and what was processed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceHealth {
    pub status: HealthStatus,
    pub degraded: Vec<String>,
    pub database: Database,
    pub dispatch: DispatchHealth,
    pub storage: StorageHealth,
    pub processing: Processing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    /// It serves, but `degraded` says what to look at.
    Degraded,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Database {
    /// `sqlite` or `postgres`.
    pub engine: String,
    pub status: HealthStatus,
}

/// How waiting workers hear of jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct DispatchHealth {
    /// What is set.
    pub mode: JobQueueMode,
    /// What is in force on this instance: `redis`, or `database` while there is no Redis or it does not answer.
    pub in_force: JobQueueMode,
    /// Null without a Redis.
    pub redis: Option<BrokerStatus>,
    /// Seconds until a Redis that failed is tried again.
    pub redis_retry_seconds: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct StorageHealth {
    /// `disk`, `s3`, `gcs` or `azure`.
    pub kind: String,
    /// Of a disk; null for an object store, which has no end that it would tell.
    #[schema(required)]
    pub free_bytes: Option<u64>,
    #[schema(required)]
    pub total_bytes: Option<u64>,
    /// What uploads leave free.
    pub reserve_bytes: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Processing {
    pub jobs: Depth,
    /// When the job that waits longest was enqueued.
    pub oldest_pending_at: Option<DateTime<Utc>>,
    /// Completed jobs that have left the history.
    pub completed_before: i64,
    pub videos: VideoCounts,
    pub workers: WorkerCounts,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub struct VideoCounts {
    pub pending: i64,
    pub processing: i64,
    pub ready: i64,
    pub failed: i64,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub struct WorkerCounts {
    pub active: i64,
    pub idle: i64,
    pub busy: i64,
    pub offline: i64,
    pub disabled: i64,
}

impl WorkerCounts {
    fn able(&self) -> i64 {
        self.active + self.idle + self.busy
    }
}

pub async fn farm(app: &App) -> Result<FarmHealth> {
    app.db.ping().await?;
    let jobs = queues::depth(app, &Filter::default()).await?;
    let workers = worker_counts(app).await?;
    let mut degraded = switched_off(app);
    if workers.able() == 0 && jobs.pending > 0 {
        degraded.push("no workers: jobs wait and nobody is there to take them".to_owned());
    }
    Ok(FarmHealth {
        status: status(&degraded),
        degraded,
        database: database(app),
        dispatch: dispatch(app),
        active_workers: workers.able(),
        pending_jobs: jobs.pending,
    })
}

pub async fn service(app: &App) -> Result<ServiceHealth> {
    app.db.ping().await?;
    let space = app.storage.space()?;
    let reserve_bytes = app.settings.disk_reserve_bytes;
    let mut degraded = switched_off(app);
    if space.is_some_and(|space| space.free < reserve_bytes) {
        degraded.push("disk nearly full: uploads are refused".to_owned());
    }
    if !app.storage.answers().await {
        degraded.push("storage does not answer: nothing can be uploaded, delivered or played".to_owned());
    }
    Ok(ServiceHealth {
        status: status(&degraded),
        degraded,
        database: database(app),
        dispatch: dispatch(app),
        storage: StorageHealth {
            kind: app.storage.kind().to_owned(),
            free_bytes: space.map(|space| space.free),
            total_bytes: space.map(|space| space.total),
            reserve_bytes,
        },
        processing: processing(app).await?,
    })
}

/// Whether requests may be sent here.
pub async fn ready(app: &App) -> Result<()> {
    let unready = |code, detail| Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, detail));
    if app.shutdown.is_cancelled() {
        return Err(ApiError::stopping());
    }
    if app.db.ping().await.is_err() {
        return unready("database_unavailable", "The database does not answer.");
    }
    // Not the object store: all instances share it, and without them workers would lose their jobs as well.
    if app.storage.space().is_err() {
        return unready("storage_unavailable", "The storage does not answer.");
    }
    Ok(())
}

fn dispatch(app: &App) -> DispatchHealth {
    let mode = app.settings.job_queue_mode;
    let redis = app.broker.as_ref().map(Broker::status);
    let through_redis = mode != JobQueueMode::Database && redis == Some(BrokerStatus::Up);
    let pause = app.broker.as_ref().map(|broker| broker.pause().as_secs());
    DispatchHealth {
        mode,
        in_force: if through_redis { JobQueueMode::Redis } else { JobQueueMode::Database },
        redis,
        redis_retry_seconds: pause.filter(|_| redis == Some(BrokerStatus::Down)),
    }
}

fn switched_off(app: &App) -> Vec<String> {
    let mut off = Vec::new();
    if app.broker.as_ref().is_some_and(|broker| broker.status() == BrokerStatus::Down) {
        off.push("redis down: waiting workers hear of jobs by asking the database".to_owned());
    }
    if app.settings.stale_job_check_interval == 0 {
        off.push(
            "reaper off: jobs of lost workers are not taken back (stale_job_check_interval = 0)".to_owned(),
        );
    }
    off
}

fn status(degraded: &[String]) -> HealthStatus {
    if degraded.is_empty() { HealthStatus::Ok } else { HealthStatus::Degraded }
}

/// To be called after a ping that succeeded.
fn database(app: &App) -> Database {
    Database { engine: app.db.name().to_owned(), status: HealthStatus::Ok }
}

async fn processing(app: &App) -> Result<Processing> {
    let removed = job_lists::removed_totals(&app.db).await?;
    let completed = removed.iter().filter(|row| row.status == JobStatus::Completed);
    let mut found = VideoCounts::default();
    for (status, count) in videos::count_by_status(&app.db).await? {
        match status {
            VideoStatus::Pending => found.pending = count,
            VideoStatus::Processing => found.processing = count,
            VideoStatus::Ready => found.ready = count,
            VideoStatus::Failed => found.failed = count,
        }
    }
    Ok(Processing {
        jobs: queues::depth(app, &Filter::default()).await?,
        oldest_pending_at: job_lists::oldest_pending(&app.db).await?,
        completed_before: completed.map(|row| row.count).sum(),
        videos: found,
        workers: worker_counts(app).await?,
    })
}

async fn worker_counts(app: &App) -> Result<WorkerCounts> {
    let mut found = WorkerCounts::default();
    for (status, count) in workers::count_by_status(&app.db).await? {
        match status {
            WorkerStatus::Active => found.active = count,
            WorkerStatus::Idle => found.idle = count,
            WorkerStatus::Busy => found.busy = count,
            WorkerStatus::Offline => found.offline = count,
            WorkerStatus::Disabled => found.disabled = count,
        }
    }
    Ok(found)
}
