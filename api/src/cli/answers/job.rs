//! Jobs.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::Event;
use crate::estimate::Eta;

#[derive(Deserialize)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) number: i64,
    pub(crate) video_id: String,
    pub(crate) video_title: String,
    pub(crate) collection: Option<String>,
    pub(crate) queue_type: String,
    pub(crate) status: String,
    pub(crate) state: String,
    pub(crate) priority: i32,
    pub(crate) position: Option<i64>,
    pub(crate) waiting_reason: Option<String>,
    pub(crate) eta: Option<Eta>,
    pub(crate) error: Option<String>,
    pub(crate) error_class: Option<String>,
    pub(crate) error_hint: Option<String>,
    pub(crate) enqueued_at: DateTime<Utc>,
    pub(crate) started_at: Option<DateTime<Utc>>,
    pub(crate) completed_at: Option<DateTime<Utc>>,
    pub(crate) retry_after: Option<DateTime<Utc>>,
    pub(crate) claimed_at: Option<DateTime<Utc>>,
    pub(crate) worker_name: Option<String>,
    pub(crate) processed_by_worker_name: Option<String>,
    pub(crate) current_step: Option<String>,
    pub(crate) progress_percent: f64,
    pub(crate) last_checkpoint: Option<DateTime<Utc>>,
    pub(crate) failure_count: i32,
    pub(crate) lost_count: i32,
    pub(crate) max_attempts: i32,
    pub(crate) max_lost: i32,
}

impl Job {
    /// Who works on it, or who did last.
    pub(crate) fn worker(&self) -> Option<&str> {
        self.worker_name.as_deref().or(self.processed_by_worker_name.as_deref())
    }
}

#[derive(Deserialize)]
pub(crate) struct Attempt {
    pub(crate) number: i32,
    pub(crate) worker_name: String,
    pub(crate) started_at: DateTime<Utc>,
    pub(crate) ended_at: Option<DateTime<Utc>>,
    pub(crate) outcome: Option<String>,
    pub(crate) error: Option<String>,
    /// The last lines of the encoder.
    pub(crate) log: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct JobDetail {
    pub(crate) job: Job,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) timeline: Vec<Event>,
}
