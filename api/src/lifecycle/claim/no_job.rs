//! A claim that finds no job, and what its worker is told.

use chrono::Duration;
use framefarm_shared::queue::QueueType;
use framefarm_shared::wire::worker_api::{ClaimReply, NoJobReason};

use crate::error::ApiError;

/// How a look at a queue ends without a job.
pub(super) enum Ended {
    NoJob(NoJob),
    Failed(ApiError),
}

impl From<NoJob> for Ended {
    fn from(why: NoJob) -> Self {
        Self::NoJob(why)
    }
}

impl<E: Into<ApiError>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Why there is none.
pub(super) enum NoJob {
    Empty,
    /// The worker asked for a certain job.
    Unknown,
    NotClaimable,
    /// While it was claimed.
    VideoDeleted,
    Draining,
    Paused(QueueType),
    AtCapacity {
        queue: QueueType,
        most: i32,
    },
    /// A limit was set while the job was claimed.
    LimitChanged,
    WaitingForGpu {
        worker: String,
        most: Duration,
    },
}

impl NoJob {
    fn reason(&self) -> NoJobReason {
        match self {
            Self::Empty | Self::Unknown | Self::NotClaimable | Self::VideoDeleted => NoJobReason::Empty,
            Self::Draining => NoJobReason::Draining,
            Self::Paused(_) => NoJobReason::Paused,
            Self::AtCapacity { .. } | Self::LimitChanged => NoJobReason::AtCapacity,
            Self::WaitingForGpu { .. } => NoJobReason::WaitingForGpu,
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::Empty => "no job is due".to_owned(),
            Self::Unknown => "there is no such job".to_owned(),
            Self::NotClaimable => "the job cannot be claimed".to_owned(),
            Self::VideoDeleted => "the job's video was deleted".to_owned(),
            Self::Draining => "this worker is draining".to_owned(),
            Self::Paused(queue) => format!("the {queue} queue is paused"),
            Self::AtCapacity { queue, most } => {
                format!("the {queue} queue has reached its limit of {most} running jobs")
            }
            Self::LimitChanged => "the queue settings have just changed; retry".to_owned(),
            Self::WaitingForGpu { worker, most } => {
                format!("waiting for {worker}, at most {} s", most.num_seconds())
            }
        }
    }

    pub(super) fn into_reply(self) -> ClaimReply {
        ClaimReply { job: None, reason: Some(self.reason()), detail: Some(self.detail()) }
    }
}
