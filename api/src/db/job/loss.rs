//! Why a job was recovered from its worker.

/// The reason. `as_str` is a label value; `words` is the reason in the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The lease ended and the worker is silent, or it ended long ago.
    ClaimExpired,
    /// The same worker came back as a new process.
    WorkerRestarted,
    WorkerDisabled,
    WorkerRemoved,
    KeyRevoked,
    /// No progress for too long; this one counts as a failure.
    NoProgress,
}

impl Loss {
    pub const ALL: [Self; 6] = [
        Self::ClaimExpired,
        Self::WorkerRestarted,
        Self::WorkerDisabled,
        Self::WorkerRemoved,
        Self::KeyRevoked,
        Self::NoProgress,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaimExpired => "claim_expired",
            Self::WorkerRestarted => "worker_restarted",
            Self::WorkerDisabled => "worker_disabled",
            Self::WorkerRemoved => "worker_removed",
            Self::KeyRevoked => "key_revoked",
            Self::NoProgress => "no_progress",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::ClaimExpired => "its lease expired",
            Self::WorkerRestarted => "its worker was restarted",
            Self::WorkerDisabled => "its worker was disabled",
            Self::WorkerRemoved => "its worker was removed",
            Self::KeyRevoked => "its worker's key was revoked",
            Self::NoProgress => "no progress",
        }
    }
}
