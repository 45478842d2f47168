//! What a transaction notes and its commit counts.

use chrono::Duration;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;

use super::{Loss, Metrics};

#[derive(Clone, Debug)]
pub enum MetricEvent {
    Enqueued {
        queue: QueueType,
        /// `new`, `retranscode`, `requeued` or `imported`.
        reason: &'static str,
    },
    Claimed {
        queue: QueueType,
        /// Since it could be claimed; nothing for a holder that came back to its own job.
        waited: Option<Duration>,
    },
    /// An attempt is over.
    Left {
        queue: QueueType,
        status: JobStatus,
        outcome: &'static str,
        lasted: Option<Duration>,
        class: Option<ErrorClass>,
        loss: Option<Loss>,
        /// The budget that it used up: `failures` or `losses`.
        used_up: Option<&'static str>,
    },
    /// A job that nobody had taken was cancelled.
    Cancelled {
        queue: QueueType,
    },
    Renewed {
        by: Renewal,
        count: u64,
    },
}

/// The call that renewed a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    Heartbeat,
    Progress,
    /// A plan, a part, an image or a subtitle.
    Delivery,
}

impl Renewal {
    pub(super) const ALL: [Self; 3] = [Self::Heartbeat, Self::Progress, Self::Delivery];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Heartbeat => "heartbeat",
            Self::Progress => "progress",
            Self::Delivery => "delivery",
        }
    }
}

impl Metrics {
    /// To be called after the commit.
    pub fn record(&self, all: &[MetricEvent]) {
        for metric_event in all {
            self.jobs.record(metric_event);
        }
    }
}
