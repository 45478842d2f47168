//! What a watcher is told.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use framefarm_shared::id::{BootId, JobId, VideoId, WorkerId};
use framefarm_shared::state::{Step, WorkerStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::estimate::Eta;
use crate::views::events::Event;

#[derive(Clone, Debug)]
pub enum Message {
    /// First of all: where the stream begins.
    Hello(Hello),
    /// Something was missed: look at everything again.
    Reset,
    /// A row of the table; it has an id.
    Change(Arc<Event>),
    Progress(Arc<Progress>),
    Worker(Arc<WorkerSign>),
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Hello {
    /// The events after this one follow.
    pub last_id: i64,
    /// Another one than before: the server was restarted, or it is another server.
    pub boot: BootId,
}

/// How far a running job is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    pub job_id: JobId,
    pub video_id: VideoId,
    #[serde(skip)]
    pub fence: i64,
    pub step: Step,
    pub percent: f64,
    pub eta: Option<Eta>,
    pub qualities: Vec<QualityPace>,
    /// The last lines that its encoder wrote; null if it wrote nothing.
    pub log: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct QualityPace {
    pub name: String,
    pub percent: f64,
    pub fps: Option<f64>,
    pub speed: Option<f64>,
}

/// A worker is there, or does something else than before.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkerSign {
    pub id: WorkerId,
    pub status: WorkerStatus,
    pub draining: bool,
    pub last_heartbeat: Option<DateTime<Utc>>,
}
