//! Alerts: what they are about, where they go, how a delivery stands.

use crate::text_enum::text_enum;

text_enum! {
    /// What an alert is about.
    AlertType {
        /// A job was taken from a worker that is gone, and waits again.
        StaleJobRecovered = "stale_job_recovered",
        /// A job used up its attempts.
        JobMaxRetriesExceeded = "job_max_retries_exceeded",
        /// Runs fail with the same class of error, on one worker or everywhere.
        JobFailedPattern = "job_failed_pattern",
        WorkerStartup = "worker_startup",
        WorkerShutdown = "worker_shutdown",
        /// A worker fell silent.
        WorkerOffline = "worker_offline",
        GpuQuarantined = "gpu_quarantined",
        /// A worker lacks a layer of the sandbox in which it opens uploads.
        SandboxIncomplete = "sandbox_incomplete",
        QueueDepthHigh = "queue_depth_high",
        ErrorRateHigh = "error_rate_high",
        /// Jobs are due and nobody takes one.
        NoDequeue = "no_dequeue",
        DiskLow = "disk_low",
        RedisDown = "redis_down",
        VideoReady = "video_ready",
        VideoFailed = "video_failed",
    }
}

text_enum! {
    /// How an alert is written for its receiver.
    EndpointKind {
        Slack = "slack",
        Discord = "discord",
        /// Signed as Standard Webhooks 1.0.0 says.
        Generic = "generic",
    }
}

text_enum! {
    /// What a message tells.
    AlertState {
        /// Something began that lasts.
        Raised = "raised",
        /// It is over.
        Recovered = "recovered",
        /// Something happened, once.
        Happened = "happened",
        /// Somebody tries the endpoint.
        Test = "test",
    }
}

text_enum! {
    DeliveryStatus {
        /// To be sent, or to be tried again.
        Pending = "pending",
        Delivered = "delivered",
        /// Given up; `replay` sends it again.
        Failed = "failed",
    }
}

impl AlertType {
    /// Whether it begins and ends; the others happen.
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

    /// Whether it is about one video: programs want to hear of each.
    pub const fn is_of_video(self) -> bool {
        matches!(self, Self::VideoReady | Self::VideoFailed)
    }

    /// Whether an endpoint hears of it that did not choose.
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
