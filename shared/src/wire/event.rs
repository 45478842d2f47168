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
        JobEnqueued = "job_enqueued",
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
        QueuePaused = "queue_paused",
        QueueResumed = "queue_resumed",
        QueueCleared = "queue_cleared",
        QueueChanged = "queue_changed",
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
