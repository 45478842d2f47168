//! Workers as the admin sees them; never their keys.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use framefarm_shared::gpu::Gpu;
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::state::WorkerStatus;
use framefarm_shared::wire::worker_api::WorkerType;
use serde::Serialize;
use utoipa::ToSchema;

use super::health::{Condition, HealthStatus, NamedCondition};
use super::jobs::{Context, Job};
use super::page::Page;
use crate::app::App;
use crate::db::workers::{self, WorkerRow};
use crate::db::{job, worker_gpus};
use crate::error::{ApiError, Result};
use crate::estimate::{Eta, Outlook, slots};
use crate::lifecycle::sandbox;

/// A registered worker.
#[derive(Debug, Serialize, ToSchema)]
pub struct Worker {
    pub id: WorkerId,
    pub name: String,
    pub worker_type: WorkerType,
    pub status: WorkerStatus,
    /// It finishes its jobs and claims no new ones.
    pub draining: bool,
    /// One of its GPUs is ready.
    pub has_gpu: bool,
    /// Its GPUs as last reported.
    pub gpus: Vec<Gpu>,
    /// `degraded` if there are `conditions`.
    pub health: HealthStatus,
    pub conditions: Vec<NamedCondition>,
    pub capabilities: serde_json::Value,
    pub metadata: serde_json::Value,
    /// A job that it is running; null when idle.
    pub current_job_id: Option<JobId>,
    pub registered_at: DateTime<Utc>,
    /// Null if it never sent one.
    pub last_heartbeat: Option<DateTime<Utc>>,
    /// Number of jobs that it runs at the same time, as reported.
    pub slots: usize,
    /// Version of its program, as reported.
    pub version: Option<String>,
    /// Encoded seconds of video per second, over its last jobs.
    pub speed: Option<f64>,
    /// Jobs that it is running.
    pub jobs: Vec<WorkerJob>,
}

/// A running job.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkerJob {
    pub id: JobId,
    pub number: i64,
    pub video_id: VideoId,
    pub video_title: String,
    pub percent: f64,
    pub eta: Option<Eta>,
}

impl Worker {
    fn of(row: WorkerRow, outlook: &Outlook, jobs: Vec<WorkerJob>, gpus: Vec<Gpu>) -> Self {
        let version = row.capabilities.0.get("version").and_then(serde_json::Value::as_str);
        let conditions = conditions(&row);
        Self {
            slots: slots(&row),
            version: version.map(str::to_owned),
            speed: outlook.paces().speed(row.id),
            jobs,
            id: row.id,
            name: row.name,
            worker_type: row.worker_type,
            status: row.status,
            draining: row.draining,
            has_gpu: row.has_gpu,
            gpus,
            health: if conditions.is_empty() { HealthStatus::Ok } else { HealthStatus::Degraded },
            conditions,
            capabilities: row.capabilities.0,
            metadata: row.metadata.0,
            current_job_id: row.current_job_id,
            registered_at: row.registered_at,
            last_heartbeat: row.last_heartbeat,
        }
    }
}

fn conditions(row: &WorkerRow) -> Vec<NamedCondition> {
    let sandbox = sandbox::incomplete(&row.capabilities.0);
    sandbox.map(|detail| NamedCondition { code: Condition::SandboxIncomplete, detail }).into_iter().collect()
}

/// All of them, by name.
pub async fn list(app: &App) -> Result<Page<Worker>> {
    Ok(Page::whole(of_rows(app, workers::all(&app.db).await?).await?))
}

pub async fn get(app: &App, id: WorkerId) -> Result<Worker> {
    let row = workers::get(&app.db, id).await?.ok_or_else(|| ApiError::no_such("worker"))?;
    of_rows(app, vec![row]).await?.pop().ok_or_else(|| ApiError::no_such("worker"))
}

async fn of_rows(app: &App, workers: Vec<WorkerRow>) -> Result<Vec<Worker>> {
    let running = job::running(&app.db).await?;
    let context = Context::load(app, &running).await?;
    let mut held = HashMap::<WorkerId, Vec<WorkerJob>>::new();
    for row in running {
        if let Some(worker) = row.worker_id {
            held.entry(worker).or_default().push(context.view(row).into());
        }
    }
    let ids: Vec<WorkerId> = workers.iter().map(|row| row.id).collect();
    let mut gpus = HashMap::<WorkerId, Vec<Gpu>>::new();
    for (worker, gpu) in worker_gpus::of_workers(&app.db, &ids).await? {
        gpus.entry(worker).or_default().push(gpu);
    }
    let view = |row: WorkerRow| {
        let jobs = held.remove(&row.id).unwrap_or_default();
        let gpus = gpus.remove(&row.id).unwrap_or_default();
        Worker::of(row, &context.outlook, jobs, gpus)
    };
    Ok(workers.into_iter().map(view).collect())
}

impl From<Job> for WorkerJob {
    fn from(job: Job) -> Self {
        let Job { id, number, video_id, video_title, progress_percent: percent, eta, .. } = job;
        Self { id, number, video_id, video_title, percent, eta }
    }
}
