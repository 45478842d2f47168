//! Workers.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::estimate::Eta;

#[derive(Deserialize)]
pub(crate) struct Workers {
    pub(crate) items: Vec<Worker>,
}

#[derive(Deserialize)]
pub(crate) struct Worker {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(rename = "worker_type")]
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) draining: bool,
    pub(crate) gpus: Vec<Gpu>,
    pub(crate) registered_at: DateTime<Utc>,
    pub(crate) last_heartbeat: Option<DateTime<Utc>>,
    pub(crate) slots: usize,
    pub(crate) version: Option<String>,
    pub(crate) speed: Option<f64>,
    pub(crate) jobs: Vec<WorkerJob>,
}

#[derive(Deserialize)]
pub(crate) struct WorkerJob {
    pub(crate) number: i64,
    pub(crate) video_title: String,
    pub(crate) percent: f64,
    pub(crate) eta: Option<Eta>,
}

#[derive(Deserialize)]
pub(crate) struct Gpu {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
    pub(crate) sessions: u32,
    pub(crate) session_limit: Option<u32>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) sample: Option<Sample>,
}

#[derive(Deserialize)]
pub(crate) struct Sample {
    pub(crate) encoder_percent: Option<u8>,
    pub(crate) memory_used_bytes: Option<u64>,
    pub(crate) temperature_celsius: Option<u8>,
}
