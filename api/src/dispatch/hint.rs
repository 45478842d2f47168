//! What is told of a job that became claimable: enough to choose who looks, not enough to begin.

use framefarm_shared::queue::QueueType;
use serde::{Deserialize, Serialize};

use crate::db::effects::Claimable;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    pub kind: QueueType,
    pub level: Level,
}

impl From<Claimable> for Hint {
    fn from(job: Claimable) -> Self {
        Self { kind: job.queue, level: Level::of(job.priority) }
    }
}

/// Priorities are many numbers, streams are three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    High,
    Normal,
    Low,
}

impl Level {
    pub const ALL: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    pub fn of(priority: i32) -> Self {
        match priority {
            1.. => Self::High,
            0 => Self::Normal,
            _ => Self::Low,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}
