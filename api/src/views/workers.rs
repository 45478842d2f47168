//! Workers as the admin sees them; never their keys.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::state::WorkerStatus;
use framefarm_shared::wire::worker_api::WorkerType;
use serde::Serialize;
use utoipa::ToSchema;

use super::page::Page;
use crate::app::App;
use crate::db::workers::{self, WorkerRow};
use crate::error::{ApiError, Result};

/// A registered worker.
#[derive(Debug, Serialize, ToSchema)]
pub struct Worker {
    pub id: WorkerId,
    pub name: String,
    pub worker_type: WorkerType,
    pub status: WorkerStatus,
    /// Finishes what it holds and claims nothing more.
    pub draining: bool,
    pub has_gpu: bool,
    pub capabilities: serde_json::Value,
    pub metadata: serde_json::Value,
    /// The job it works on; null when idle.
    pub current_job_id: Option<JobId>,
    pub registered_at: DateTime<Utc>,
    /// Null if it was never heard of.
    pub last_heartbeat: Option<DateTime<Utc>>,
}

impl From<WorkerRow> for Worker {
    fn from(row: WorkerRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            worker_type: row.worker_type,
            status: row.status,
            draining: row.draining,
            has_gpu: row.has_gpu,
            capabilities: row.capabilities.0,
            metadata: row.metadata.0,
            current_job_id: row.current_job_id,
            registered_at: row.registered_at,
            last_heartbeat: row.last_heartbeat,
        }
    }
}

/// All of them, by name.
pub async fn list(app: &App) -> Result<Page<Worker>> {
    Ok(Page::whole(workers::all(&app.db).await?.into_iter().map(Worker::from).collect()))
}

pub async fn get(app: &App, id: WorkerId) -> Result<Worker> {
    let row = workers::get(&app.db, id).await?.ok_or_else(|| ApiError::no_such("worker"))?;
    Ok(row.into())
}
