//! Alerts: their types, the kinds of endpoints, the status of a delivery.

use crate::text_enum::text_enum;

text_enum! {
    /// The type of an alert.
    AlertType {
        /// A job was recovered from a worker that is gone and is back in the queue.
        StaleJobRecovered = "stale_job_recovered",
        /// The retries of a job are exhausted.
        JobMaxRetriesExceeded = "job_max_retries_exceeded",
        /// Repeated failures: several attempts failed with the same error class, on one worker or on all of them.
        JobFailedPattern = "job_failed_pattern",
        WorkerStartup = "worker_startup",
        WorkerShutdown = "worker_shutdown",
        /// A worker stopped sending heartbeats.
        WorkerOffline = "worker_offline",
        GpuQuarantined = "gpu_quarantined",
        /// A worker lacks one or more layers of the sandbox in which it opens uploads.
        SandboxIncomplete = "sandbox_incomplete",
        QueueDepthHigh = "queue_depth_high",
        ErrorRateHigh = "error_rate_high",
        /// Jobs are due, but no worker is claiming them.
        NoDequeue = "no_dequeue",
        DiskLow = "disk_low",
        RedisDown = "redis_down",
        VideoReady = "video_ready",
        VideoFailed = "video_failed",
    }
}

text_enum! {
    /// The format in which an endpoint receives alerts.
    EndpointKind {
        Slack = "slack",
        Discord = "discord",
        /// JSON, signed according to Standard Webhooks 1.0.0.
        Generic = "generic",
    }
}

text_enum! {
    /// Whether a message announces an incident, its end, a single event or a test.
    AlertState {
        /// An incident began.
        Raised = "raised",
        /// The incident is over.
        Recovered = "recovered",
        /// A single event, without an end.
        Happened = "happened",
        /// A test of the endpoint.
        Test = "test",
    }
}

text_enum! {
    DeliveryStatus {
        /// Waiting to be sent or retried.
        Pending = "pending",
        Delivered = "delivered",
        /// Not delivered, and not retried any more; `replay` sends it again.
        Failed = "failed",
    }
}

impl AlertType {
    /// Whether it fires until it is resolved; the others are single events.
    pub const fn lasts(self) -> bool {
        matches!(
            self,
            Self::WorkerOffline
                | Self::GpuQuarantined
                | Self::SandboxIncomplete
                | Self::QueueDepthHigh
                | Self::ErrorRateHigh
                | Self::NoDequeue
                | Self::DiskLow
                | Self::RedisDown
        )
    }

    /// Whether it is about one video: `generic` endpoints receive every one of these.
    pub const fn is_of_video(self) -> bool {
        matches!(self, Self::VideoReady | Self::VideoFailed)
    }

    /// Whether endpoints receive it by default.
    pub const fn is_usual(self) -> bool {
        !matches!(self, Self::WorkerStartup | Self::WorkerShutdown | Self::VideoReady)
    }

    pub fn usual() -> Vec<Self> {
        Self::ALL.iter().copied().filter(|kind| kind.is_usual()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comings_and_goings_of_workers_and_ready_videos_are_told_to_those_who_ask() {
        let usual = AlertType::usual();
        for quiet in [AlertType::WorkerStartup, AlertType::WorkerShutdown, AlertType::VideoReady] {
            assert!(!usual.contains(&quiet), "{quiet}");
        }
        assert_eq!(usual.len(), AlertType::ALL.len() - 3);
    }
}
