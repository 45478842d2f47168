//! Messages to SSE subscribers.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use framefarm_shared::gpu::{Gpu, GpuState};
use framefarm_shared::id::{BootId, JobId, VideoId, WorkerId};
use framefarm_shared::state::{Step, WorkerStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::estimate::Eta;
use crate::responses::events::Event;

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
    /// The stream continues after the event with this id.
    pub last_id: i64,
    /// Identifies the server process: it differs after a restart and on another instance.
    pub boot: BootId,
}

/// The progress of a running job.
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
    /// The last lines of the encoder log; null if the log is empty.
    pub log: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct QualityPace {
    pub name: String,
    pub percent: f64,
    pub fps: Option<f64>,
    pub speed: Option<f64>,
}

/// A heartbeat or a state change of a worker.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkerSign {
    pub id: WorkerId,
    pub status: WorkerStatus,
    pub draining: bool,
    pub last_heartbeat: Option<DateTime<Utc>>,
    /// The current state of its GPUs.
    #[serde(default)]
    pub gpus: Vec<GpuSign>,
}

/// The current state of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GpuSign {
    pub id: String,
    pub state: GpuState,
    /// Encoder sessions of the worker on this GPU.
    pub sessions: u32,
    pub encoder_percent: Option<u8>,
    pub memory_percent: Option<u8>,
    pub temperature_celsius: Option<u8>,
}

impl From<&Gpu> for GpuSign {
    fn from(gpu: &Gpu) -> Self {
        let sample = gpu.sample.as_ref();
        Self {
            id: gpu.id.clone(),
            state: gpu.state,
            sessions: gpu.sessions,
            encoder_percent: sample.and_then(|now| now.encoder_percent),
            memory_percent: gpu.memory_percent(),
            temperature_celsius: sample.and_then(|now| now.temperature_celsius),
        }
    }
}
