//! The form of an exported queue. A field that is added later is optional; any other change is a new version.

use chrono::{DateTime, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{AttemptOutcome, JobStatus, Step, VideoStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::db::job::attempts::AttemptRow;
use crate::db::job::{JobRow, Retranscode};
use crate::db::videos::VideoRow;

pub const SCHEMA: &str = "framefarm.queue/1";

/// The queue at one point in time: the videos, and their jobs in four parts.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Export {
    /// `framefarm.queue/1`.
    pub schema: String,
    pub exported_at: DateTime<Utc>,
    /// The videos of all jobs in this document.
    pub videos: Vec<ExportedVideo>,
    pub pending: Vec<ExportedJob>,
    pub running: Vec<ExportedJob>,
    pub completed: Vec<ExportedJob>,
    /// Failed and cancelled jobs.
    pub errors: Vec<ExportedJob>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExportedVideo {
    pub id: VideoId,
    pub slug: String,
    pub title: String,
    pub collection: Option<String>,
    pub status: VideoStatus,
    pub source_name: String,
    pub source_size: i64,
    pub source_sha256: String,
    pub identity: String,
    pub wanted: Option<Vec<String>>,
    pub generation: i32,
    pub last_generation: i32,
    pub duration_us: Option<i64>,
    pub width: Option<i32>,
    pub height: Option<i32>,
    pub renditions: Option<Value>,
    pub error_message: Option<String>,
    /// Absent in documents of earlier versions.
    pub cancelled: Option<bool>,
    pub created_at: DateTime<Utc>,
    pub ready_at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub source_deleted_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExportedJob {
    pub id: JobId,
    pub number: i64,
    pub video_id: VideoId,
    pub collection: Option<String>,
    pub queue_type: QueueType,
    pub identity: String,
    pub status: JobStatus,
    pub priority: i32,
    pub sort_at: DateTime<Utc>,
    pub enqueued_at: DateTime<Utc>,
    pub claimable_at: DateTime<Utc>,
    pub retry_after: Option<DateTime<Utc>>,
    pub generation: i32,
    pub retranscode: Option<Retranscode>,
    pub fence: i64,
    pub attempt_number: i32,
    pub attempt_started_at: Option<DateTime<Utc>>,
    pub failure_count: i32,
    pub lost_count: i32,
    pub max_attempts: i32,
    pub max_lost: i32,
    pub requeue_count: i32,
    pub encoder_failures: i32,
    pub current_step: Option<Step>,
    pub progress_percent: f64,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub error: Option<String>,
    pub error_class: Option<ErrorClass>,
    pub results: Option<Value>,
    pub processed_by_worker_id: Option<WorkerId>,
    pub processed_by_worker_name: Option<String>,
    pub gpu_needs: Option<i32>,
    pub attempts: Vec<ExportedAttempt>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExportedAttempt {
    pub fence: i64,
    pub number: i32,
    pub worker_id: WorkerId,
    pub worker_name: String,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub outcome: Option<AttemptOutcome>,
    pub error_class: Option<String>,
    pub error: Option<String>,
    pub log: Option<String>,
}

impl ExportedVideo {
    pub(super) fn of(row: VideoRow, collection: Option<String>) -> Self {
        Self {
            id: row.id,
            slug: row.slug,
            title: row.title,
            collection,
            status: row.status,
            source_name: row.source_name,
            source_size: row.source_size,
            source_sha256: row.source_sha256,
            identity: row.identity,
            wanted: row.wanted.map(|json| json.0),
            generation: row.generation,
            last_generation: row.last_generation,
            duration_us: row.duration_us,
            width: row.width,
            height: row.height,
            renditions: row.renditions.map(|json| json.0),
            error_message: row.error_message,
            cancelled: Some(row.cancelled),
            created_at: row.created_at,
            ready_at: row.ready_at,
            source_deleted_at: row.source_deleted_at,
        }
    }
}

impl ExportedJob {
    pub(super) fn of(row: JobRow, collection: Option<String>, attempts: Vec<ExportedAttempt>) -> Self {
        Self {
            id: row.id,
            number: row.number,
            video_id: row.video_id,
            collection,
            queue_type: row.queue_type,
            identity: row.identity,
            status: row.status,
            priority: row.priority,
            sort_at: row.sort_at,
            enqueued_at: row.enqueued_at,
            claimable_at: row.claimable_at,
            retry_after: row.retry_after,
            generation: row.generation,
            retranscode: row.retranscode.map(|json| json.0),
            fence: row.fence,
            attempt_number: row.attempt_number,
            attempt_started_at: row.attempt_started_at,
            failure_count: row.failure_count,
            lost_count: row.lost_count,
            max_attempts: row.max_attempts,
            max_lost: row.max_lost,
            requeue_count: row.requeue_count,
            encoder_failures: row.encoder_failures,
            current_step: row.current_step,
            progress_percent: row.progress_percent,
            started_at: row.started_at,
            finished_at: row.finished_at,
            error: row.error,
            error_class: row.error_class,
            results: row.results.map(|json| json.0),
            processed_by_worker_id: row.processed_by_worker_id,
            processed_by_worker_name: row.processed_by_worker_name,
            gpu_needs: row.gpu_needs,
            attempts,
        }
    }
}

impl From<AttemptRow> for ExportedAttempt {
    fn from(row: AttemptRow) -> Self {
        let AttemptRow { fence, number, worker_id, worker_name, started_at, ended_at, outcome, .. } = row;
        let (error_class, error, log) = (row.error_class, row.error, row.log);
        Self { fence, number, worker_id, worker_name, started_at, ended_at, outcome, error_class, error, log }
    }
}
