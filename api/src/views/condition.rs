//! States of the farm that somebody should look at: a code that stays, and words.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Redis is set and does not answer.
    RedisDown,
    /// Lost jobs are not looked for.
    ReaperOff,
    /// Jobs wait, and no worker could take them.
    NoWorkers,
    /// Less is free than uploads have to leave.
    DiskLow,
    StorageUnavailable,
    /// A worker lacks a layer of the sandbox in which it opens uploads.
    SandboxIncomplete,
}

impl Condition {
    pub const ALL: [Self; 6] = [
        Self::RedisDown,
        Self::ReaperOff,
        Self::NoWorkers,
        Self::DiskLow,
        Self::StorageUnavailable,
        Self::SandboxIncomplete,
    ];

    /// As in the documents.
    pub fn code(self) -> &'static str {
        match self {
            Self::RedisDown => "redis_down",
            Self::ReaperOff => "reaper_off",
            Self::NoWorkers => "no_workers",
            Self::DiskLow => "disk_low",
            Self::StorageUnavailable => "storage_unavailable",
            Self::SandboxIncomplete => "sandbox_incomplete",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::RedisDown => "redis down: waiting workers hear of jobs by asking the database",
            Self::ReaperOff => {
                "reaper off: jobs of lost workers are not taken back (stale_job_check_interval = 0)"
            }
            Self::NoWorkers => "no workers: jobs wait and nobody is there to take them",
            Self::DiskLow => "disk nearly full: uploads are refused",
            Self::StorageUnavailable => {
                "storage does not answer: nothing can be uploaded, delivered or played"
            }
            Self::SandboxIncomplete => {
                "sandbox incomplete: a worker lacks a layer of it; its panel says which"
            }
        }
    }
}

/// A state with its code, for programs, and what it means, for people.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NamedCondition {
    pub code: Condition,
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_the_word_in_the_document() {
        for condition in Condition::ALL {
            assert_eq!(serde_json::to_value(condition).unwrap(), condition.code());
        }
    }
}
