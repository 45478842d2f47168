//! Conditions of the farm that need attention: a stable code, and a text.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Redis is configured and does not respond.
    RedisDown,
    /// Lost jobs are not recovered.
    ReaperOff,
    /// Jobs are waiting, and no worker can claim them.
    NoWorkers,
    /// Less disk space is free than the reserve.
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
            Self::RedisDown => "redis down: jobs are dispatched from the database",
            Self::ReaperOff => {
                "reaper off: jobs of lost workers are not recovered (stale_job_check_interval = 0)"
            }
            Self::NoWorkers => "no workers: jobs are waiting and no worker is online",
            Self::DiskLow => "disk nearly full: uploads are rejected",
            Self::StorageUnavailable => "storage not responding: uploads, deliveries and playback fail",
            Self::SandboxIncomplete => "sandbox incomplete: a worker lacks a sandbox layer; see that worker",
        }
    }
}

/// A condition: a code for programs and a text for people.
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
