//! The health of the farm and the service.

use chrono::{DateTime, Utc};
use framefarm_shared::alert::AlertType;
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, VideoStatus, WorkerStatus};
use serde::Serialize;
use utoipa::ToSchema;

use super::cached::Kept;
pub use super::condition::{Condition, NamedCondition};
use super::jobs::Filter;
use super::queues::{self, Depth};
use crate::app::App;
use crate::broker::{Broker, BrokerStatus};
use crate::config::JobQueueMode;
use crate::db::{alerts, job, videos, workers};
use crate::error::Result;
use crate::storage::Space;

/// Whether jobs can be processed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FarmHealth {
    pub status: HealthStatus,
    /// Texts of `conditions`; empty when everything is fine.
    pub degraded: Vec<String>,
    /// What needs attention, with codes for programs.
    pub conditions: Vec<NamedCondition>,
    pub database: Database,
    pub dispatch: DispatchHealth,
    /// Workers that are online and enabled.
    pub active_workers: i64,
    pub pending_jobs: i64,
}

/// Storage, database and processing.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ServiceHealth {
    pub status: HealthStatus,
    pub degraded: Vec<String>,
    pub conditions: Vec<NamedCondition>,
    pub database: Database,
    pub dispatch: DispatchHealth,
    pub storage: StorageHealth,
    pub processing: Processing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    /// It works, but `degraded` says what needs attention.
    Degraded,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Database {
    /// `sqlite` or `postgres`.
    pub engine: String,
    pub status: HealthStatus,
}

/// How jobs are dispatched to waiting workers.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DispatchHealth {
    /// The configured mode.
    pub mode: JobQueueMode,
    /// The mode in use by this instance: `redis`, or `database` without Redis or while it does not respond.
    pub in_force: JobQueueMode,
    /// Null without Redis.
    pub redis: Option<BrokerStatus>,
    /// Seconds until the next attempt to reach a failed Redis.
    pub redis_retry_seconds: Option<u64>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StorageHealth {
    /// `disk`, `s3`, `gcs` or `azure`.
    pub kind: String,
    /// Null for an object store, which reports no capacity limit.
    #[schema(required)]
    pub free_bytes: Option<u64>,
    #[schema(required)]
    pub total_bytes: Option<u64>,
    /// Space that uploads must leave free.
    pub reserve_bytes: u64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Processing {
    pub jobs: Depth,
    /// When the oldest waiting job was enqueued.
    pub oldest_pending_at: Option<DateTime<Utc>>,
    /// Completed jobs that were removed from the history.
    pub completed_before: i64,
    pub videos: VideoCounts,
    pub workers: WorkerCounts,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct VideoCounts {
    pub pending: i64,
    pub processing: i64,
    pub ready: i64,
    pub failed: i64,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
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

/// Anybody may ask, and the answers cost a look at every job.
#[derive(Debug, Default)]
pub struct HealthCache {
    farm: Kept<FarmHealth>,
    service: Kept<ServiceHealth>,
}

pub async fn farm(app: &App) -> Result<FarmHealth> {
    app.health.farm.get(&app.clock, async || look_at_farm(app).await).await
}

pub async fn service(app: &App) -> Result<ServiceHealth> {
    app.health.service.get(&app.clock, async || look_at_service(app).await).await
}

async fn look_at_farm(app: &App) -> Result<FarmHealth> {
    app.db.ping().await?;
    let jobs = queues::depth(app, &Filter::default()).await?;
    let workers = worker_counts(app).await?;
    let mut present = switched_off(app);
    if workers.able() == 0 && jobs.pending > 0 {
        present.push(Condition::NoWorkers);
    }
    if a_sandbox_is_incomplete(app).await? {
        present.push(Condition::SandboxIncomplete);
    }
    Ok(FarmHealth {
        status: status(&present),
        degraded: words(&present),
        conditions: named(&present),
        database: database(app),
        dispatch: dispatch(app),
        active_workers: workers.able(),
        pending_jobs: jobs.pending,
    })
}

async fn look_at_service(app: &App) -> Result<ServiceHealth> {
    app.db.ping().await?;
    let space = app.storage.space()?;
    let present = switched_off(app).into_iter().chain(of_storage(app, space).await).collect::<Vec<_>>();
    Ok(ServiceHealth {
        status: status(&present),
        degraded: words(&present),
        conditions: named(&present),
        database: database(app),
        dispatch: dispatch(app),
        storage: StorageHealth {
            kind: app.storage.kind().to_owned(),
            free_bytes: space.map(|space| space.free),
            total_bytes: space.map(|space| space.total),
            reserve_bytes: app.settings.disk_reserve_bytes,
        },
        processing: processing(app).await?,
    })
}

/// All conditions, for the metrics. It counts no jobs.
pub async fn conditions(app: &App) -> Result<Vec<Condition>> {
    let mut present = switched_off(app);
    present.extend(of_storage(app, app.storage.space()?).await);
    if worker_counts(app).await?.able() == 0 {
        for kind in QueueType::ALL {
            if job::outlook::oldest_claimable(&app.db, *kind).await?.is_some() {
                present.push(Condition::NoWorkers);
                break;
            }
        }
    }
    if a_sandbox_is_incomplete(app).await? {
        present.push(Condition::SandboxIncomplete);
    }
    Ok(present)
}

/// Of a worker that is there. Its alert knows, so that not every worker has to be read.
async fn a_sandbox_is_incomplete(app: &App) -> Result<bool> {
    for subject in alerts::subjects(&app.db, AlertType::SandboxIncomplete).await? {
        let Ok(id) = subject.parse::<WorkerId>() else { continue };
        let worker = workers::get(&app.db, id).await?;
        let gone = [WorkerStatus::Offline, WorkerStatus::Disabled];
        if worker.is_some_and(|worker| !gone.contains(&worker.status)) {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn of_storage(app: &App, space: Option<Space>) -> Vec<Condition> {
    let mut present = Vec::new();
    if space.is_some_and(|space| space.free < app.settings.disk_reserve_bytes) {
        present.push(Condition::DiskLow);
    }
    if !app.storage.answers().await {
        present.push(Condition::StorageUnavailable);
    }
    present
}

pub fn dispatch(app: &App) -> DispatchHealth {
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

fn switched_off(app: &App) -> Vec<Condition> {
    let mut off = Vec::new();
    if app.broker.as_ref().is_some_and(|broker| broker.status() == BrokerStatus::Down) {
        off.push(Condition::RedisDown);
    }
    if app.settings.stale_job_check_interval == 0 {
        off.push(Condition::ReaperOff);
    }
    off
}

fn status(present: &[Condition]) -> HealthStatus {
    if present.is_empty() { HealthStatus::Ok } else { HealthStatus::Degraded }
}

fn words(present: &[Condition]) -> Vec<String> {
    present.iter().map(|condition| condition.words().to_owned()).collect()
}

fn named(present: &[Condition]) -> Vec<NamedCondition> {
    present.iter().map(|code| NamedCondition { code: *code, detail: code.words().to_owned() }).collect()
}

/// To be called after a ping that succeeded.
fn database(app: &App) -> Database {
    Database { engine: app.db.name().to_owned(), status: HealthStatus::Ok }
}

async fn processing(app: &App) -> Result<Processing> {
    let removed = job::lists::removed_totals(&app.db).await?;
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
        oldest_pending_at: job::lists::oldest_pending(&app.db).await?,
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
