//! The farm at a glance.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::Job;
use crate::estimate::Eta;

#[derive(Deserialize)]
pub(crate) struct Overview {
    pub(crate) health: ServiceHealth,
    pub(crate) running: Vec<Job>,
    pub(crate) recent_failures: Vec<Job>,
    pub(crate) queue_eta: Option<Eta>,
}

#[derive(Deserialize)]
pub(crate) struct ServiceHealth {
    pub(crate) degraded: Vec<String>,
    pub(crate) database: Database,
    pub(crate) dispatch: Dispatch,
    pub(crate) storage: Storage,
    pub(crate) processing: Processing,
}

#[derive(Deserialize)]
pub(crate) struct Database {
    pub(crate) engine: String,
}

#[derive(Deserialize)]
pub(crate) struct Dispatch {
    pub(crate) in_force: String,
}

#[derive(Deserialize)]
pub(crate) struct Storage {
    pub(crate) kind: String,
    pub(crate) free_bytes: Option<u64>,
    pub(crate) total_bytes: Option<u64>,
}

#[derive(Deserialize)]
pub(crate) struct Processing {
    pub(crate) jobs: Depth,
    pub(crate) oldest_pending_at: Option<DateTime<Utc>>,
    pub(crate) videos: Videos,
    pub(crate) workers: Workers,
}

#[derive(Deserialize)]
pub(crate) struct Videos {
    pub(crate) pending: i64,
    pub(crate) processing: i64,
    pub(crate) ready: i64,
    pub(crate) failed: i64,
}

#[derive(Deserialize)]
pub(crate) struct Workers {
    pub(crate) active: i64,
    pub(crate) idle: i64,
    pub(crate) busy: i64,
    pub(crate) offline: i64,
    pub(crate) disabled: i64,
}

/// Jobs by status.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Depth {
    pub(crate) pending: i64,
    pub(crate) running: i64,
    pub(crate) completed: i64,
    pub(crate) errors: i64,
}

#[derive(Deserialize)]
pub(crate) struct Queues {
    pub(crate) queues: Vec<Queue>,
}

#[derive(Deserialize)]
pub(crate) struct Queue {
    #[serde(rename = "queue_type")]
    pub(crate) kind: String,
    pub(crate) paused: bool,
    pub(crate) max_running: Option<i64>,
    pub(crate) retry_mode: String,
    pub(crate) depth: Depth,
}
