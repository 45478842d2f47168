//! Kinds of events. Every transition appends an event; they feed timelines, the web page and the audit log.

use serde::{Deserialize, Serialize};

use crate::failure::ErrorClass;
use crate::queue::QueueType;
use crate::state::JobStatus;
use crate::text_enum::text_enum;

text_enum! {
    /// Kind of an event row.
    EventKind {
        VideoCreated = "video_created",
        VideoChanged = "video_changed",
        VideoPublished = "video_published",
        VideoDeleted = "video_deleted",
        VideoRestored = "video_restored",
        /// The original was removed by the retention policy; the video still plays.
        SourceDeleted = "source_deleted",
        JobEnqueued = "job_enqueued",
        /// Imported from a queue export.
        JobImported = "job_imported",
        JobClaimed = "job_claimed",
        JobPlanned = "job_planned",
        PartDelivered = "part_delivered",
        QualityCompleted = "quality_completed",
        QualityFailed = "quality_failed",
        JobCompleted = "job_completed",
        JobRetryScheduled = "job_retry_scheduled",
        JobFailed = "job_failed",
        JobReleased = "job_released",
        JobLost = "job_lost",
        JobCancelled = "job_cancelled",
        JobRequeued = "job_requeued",
        JobPriorityChanged = "job_priority_changed",
        /// A report that arrived too late; it changed nothing and is kept for diagnosis.
        LateReport = "late_report",
        WorkerInvited = "worker_invited",
        WorkerRegistered = "worker_registered",
        /// First heartbeat or claim.
        WorkerStarted = "worker_started",
        WorkerRecovered = "worker_recovered",
        WorkerOffline = "worker_offline",
        WorkerRestarted = "worker_restarted",
        /// It reported its own shutdown.
        WorkerStopped = "worker_stopped",
        WorkerDisabled = "worker_disabled",
        WorkerEnabled = "worker_enabled",
        WorkerDraining = "worker_draining",
        WorkerKeyRotated = "worker_key_rotated",
        WorkerKeyRevoked = "worker_key_revoked",
        WorkerDeleted = "worker_deleted",
        /// A GPU failed and accepts no jobs until a probe succeeds.
        GpuQuarantined = "gpu_quarantined",
        GpuRecovered = "gpu_recovered",
        /// A worker lacks a layer of the sandbox in which it opens uploads.
        SandboxIncomplete = "sandbox_incomplete",
        SandboxComplete = "sandbox_complete",
        QueuePaused = "queue_paused",
        QueueResumed = "queue_resumed",
        QueueCleared = "queue_cleared",
        QueueImported = "queue_imported",
        QueueChanged = "queue_changed",
        /// Files and rows that were no longer needed were deleted on request.
        CleanupRun = "cleanup_run",
        FarmBackedUp = "farm_backed_up",
        /// The database was restored to an earlier state.
        FarmRestored = "farm_restored",
        TokenCreated = "token_created",
        TokenRevoked = "token_revoked",
        LoggedIn = "logged_in",
        LoginFailed = "login_failed",
        LoggedOut = "logged_out",
        CollectionCreated = "collection_created",
        CollectionChanged = "collection_changed",
        CollectionDeleted = "collection_deleted",
        /// Imports were queued.
        IntakeQueued = "intake_queued",
        IntakeDone = "intake_done",
        IntakeFailed = "intake_failed",
        IntakeCancelled = "intake_cancelled",
        IntakeRetried = "intake_retried",
        /// A lasting condition began; `alert_recovered` is its end.
        AlertRaised = "alert_raised",
        AlertRecovered = "alert_recovered",
        AlertEndpointCreated = "alert_endpoint_created",
        AlertEndpointChanged = "alert_endpoint_changed",
        AlertEndpointDeleted = "alert_endpoint_deleted",
        AlertEndpointTested = "alert_endpoint_tested",
        AlertSecretRotated = "alert_secret_rotated",
        AlertDeliveryReplayed = "alert_delivery_replayed",
    }
}

impl EventKind {
    /// Events of tokens and logins are for admins only, in lists and live.
    pub const fn is_for_the_audit_alone(self) -> bool {
        matches!(
            self,
            Self::TokenCreated | Self::TokenRevoked | Self::LoggedIn | Self::LoginFailed | Self::LoggedOut
        )
    }

    /// Events of which a worker is the actor. Older rows hold its bare name, which may look like anybody's.
    pub const OF_WORKERS: &[Self] = &[
        Self::JobClaimed,
        Self::WorkerRegistered,
        Self::WorkerStarted,
        Self::WorkerRecovered,
        Self::WorkerRestarted,
        Self::WorkerStopped,
        Self::GpuQuarantined,
        Self::GpuRecovered,
    ];
}

/// Details of an event for programs; `reason` is the text for people. Each kind sets the fields that apply to it, and
/// some kinds have additional fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventData {
    /// Events of jobs: fence of the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<i64>,
    /// Events of jobs: number of the attempt, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<i32>,
    /// Events of jobs: state of the job afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<JobStatus>,
    /// `job_enqueued`: the video had been encoded before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retranscode: Option<bool>,
    /// `job_planned`: segments of each quality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<i32>,
    /// `part_delivered`, `quality_completed` and `quality_failed`: name of the quality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<String>,
    /// `part_delivered`: its first segment, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_segment: Option<u32>,
    /// `part_delivered`: its last segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_segment: Option<u32>,
    /// `job_failed` and `job_retry_scheduled`: class of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ErrorClass>,
    /// `job_failed`, `job_retry_scheduled` and `quality_failed`: the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `job_priority_changed`: the new priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// `worker_draining`: whether it drains from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draining: Option<bool>,
    /// `queue_paused` and `queue_resumed`: the queues that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<Vec<QueueType>>,
}
