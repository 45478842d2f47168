//! What happened, one word each. Every transition appends one; they feed the timeline, the page and the audit.

use crate::text_enum::text_enum;

text_enum! {
    /// Kind of an event row.
    EventKind {
        VideoCreated = "video_created",
        VideoChanged = "video_changed",
        VideoPublished = "video_published",
        VideoDeleted = "video_deleted",
        VideoRestored = "video_restored",
        /// The original is gone by the rules of retention; what plays stays.
        SourceDeleted = "source_deleted",
        JobEnqueued = "job_enqueued",
        /// It came from an exported queue.
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
        /// A report that came too late; it changed nothing and is kept for diagnosis.
        LateReport = "late_report",
        WorkerInvited = "worker_invited",
        WorkerRegistered = "worker_registered",
        /// Heard for the first time.
        WorkerStarted = "worker_started",
        WorkerRecovered = "worker_recovered",
        WorkerOffline = "worker_offline",
        WorkerRestarted = "worker_restarted",
        /// It said so itself.
        WorkerStopped = "worker_stopped",
        WorkerDisabled = "worker_disabled",
        WorkerEnabled = "worker_enabled",
        WorkerDraining = "worker_draining",
        WorkerKeyRotated = "worker_key_rotated",
        WorkerKeyRevoked = "worker_key_revoked",
        WorkerDeleted = "worker_deleted",
        /// A card failed and takes no work until a probe succeeds.
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
        /// Somebody had removed what nobody needs any more.
        CleanupRun = "cleanup_run",
        FarmBackedUp = "farm_backed_up",
        /// The database was put back to an earlier state.
        FarmRestored = "farm_restored",
        TokenCreated = "token_created",
        TokenRevoked = "token_revoked",
        LoggedIn = "logged_in",
        LoginFailed = "login_failed",
        LoggedOut = "logged_out",
        CollectionCreated = "collection_created",
        CollectionChanged = "collection_changed",
        CollectionDeleted = "collection_deleted",
        /// Files that the farm is to bring in by itself.
        IntakeQueued = "intake_queued",
        IntakeDone = "intake_done",
        IntakeFailed = "intake_failed",
        IntakeCancelled = "intake_cancelled",
        IntakeRetried = "intake_retried",
        /// Something that lasts began; its end is the next.
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
    /// Who may only read is not told of tokens and logins, neither in lists nor live.
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
