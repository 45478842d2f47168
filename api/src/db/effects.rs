//! What a transaction did that concerns others once it is committed. Values only: [`OnCommit`] says who is told.

use std::fmt::Debug;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_traces::Span;

use super::job::JobRow;
use super::job::loss::Loss;

/// Who hears of what a commit did. One for a database, so no caller can forget to wake a worker or to count a change.
pub trait OnCommit: Debug + Send + Sync {
    /// Whether spans are wanted at all; otherwise none are made.
    fn is_traced(&self) -> bool;
    fn committed(&self, effects: Effects);
}

#[derive(Debug, Default)]
pub struct Effects {
    /// Jobs that became claimable.
    pub claimable: Vec<Claimable>,
    /// So many became claimable that they are not listed.
    pub many_claimable: bool,
    /// Queues in which a job ended: one with a limit has a place again.
    pub freed: Vec<QueueType>,
    pub changes: Vec<JobChange>,
    pub traced: Vec<Traced>,
}

/// A job that can be claimed: enough to choose whom to wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimable {
    pub queue: QueueType,
    pub priority: i32,
}

impl Claimable {
    pub fn of(job: &JobRow) -> Self {
        Self { queue: job.queue_type, priority: job.priority }
    }
}

/// A change of a job, as it is counted.
#[derive(Clone, Debug)]
pub enum JobChange {
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
        outcome: AttemptOutcome,
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
    pub const ALL: [Self; 3] = [Self::Heartbeat, Self::Progress, Self::Delivery];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heartbeat => "heartbeat",
            Self::Progress => "progress",
            Self::Delivery => "delivery",
        }
    }
}

/// What spans are made from.
#[derive(Debug)]
pub enum Traced {
    /// A job was claimed out of the queue.
    Claimed(Box<JobRow>),
    /// An attempt is over; the row is as it stands afterwards.
    Left(Box<JobRow>, AttemptEnding),
    Span(Box<Span>),
}

/// How an attempt ended.
#[derive(Clone, Debug)]
pub struct AttemptEnding {
    pub at: DateTime<Utc>,
    pub outcome: AttemptOutcome,
    /// Before what is given back.
    pub number: i32,
    /// The class and the words; of a lost one the reason.
    pub error: Option<(&'static str, String)>,
}
