//! The states of videos, jobs, qualities and workers, and who moves each on.

use chrono::{DateTime, Utc};

use crate::text_enum::text_enum;

text_enum! {
    /// State of a video.
    VideoStatus {
        /// Uploaded and waiting; a claim moves it on.
        Pending = "pending",
        /// A worker holds its job; completion, failure or release moves it on.
        Processing = "processing",
        /// Playable, also during a re-transcode.
        Ready = "ready",
        /// Failed or cancelled without anything playable; a person can retry it.
        Failed = "failed",
    }
}

text_enum! {
    /// State of a job; the column that decides.
    JobStatus {
        /// Waiting; can be claimed once it is due.
        Pending = "pending",
        /// Leased to a worker; its holder, the reaper or an admin moves it on.
        Running = "running",
        /// Done; terminal.
        Completed = "completed",
        /// Failed permanently; a person can retry it.
        Failed = "failed",
        /// Cancelled by a person, who can retry it.
        Cancelled = "cancelled",
    }
}

text_enum! {
    /// State of one quality of a job.
    QualityStatus {
        /// Planned; the first delivered part or progress moves it on.
        Pending = "pending",
        /// Being encoded; its last verified segment moves it on.
        InProgress = "in_progress",
        /// Every segment is delivered and verified.
        Completed = "completed",
        /// The encoder failed; the next claim of the job sets it back to `pending`.
        Failed = "failed",
        /// Larger than the source; never encoded.
        Skipped = "skipped",
    }
}

text_enum! {
    /// How an attempt ended.
    AttemptOutcome {
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
        /// Its worker was silent, restarted or removed.
        Lost = "lost",
        /// Its worker gave the job back; the attempt is not counted.
        Released = "released",
        /// Its video moved on without it.
        Superseded = "superseded",
        /// It was running when the queue was exported.
        Exported = "exported",
    }
}

text_enum! {
    /// State of an upload.
    UploadStatus {
        /// Bytes are missing, or the whole file is not stored yet.
        Open = "open",
        /// The file is stored and has become a video; terminal.
        Sealed = "sealed",
    }
}

text_enum! {
    /// State of a worker.
    WorkerStatus {
        /// Registered; its first heartbeat moves it on.
        Active = "active",
        /// Alive without a job; a claim moves it on.
        Idle = "idle",
        /// Holds at least one job; completion, failure or release of the last one moves it on.
        Busy = "busy",
        /// No heartbeat within the threshold; the next one brings it back.
        Offline = "offline",
        /// Disabled by an admin; only an admin can enable it.
        Disabled = "disabled",
    }
}

text_enum! {
    /// The step a worker reports. Resuming never depends on it: verified segments decide.
    Step {
        Probe = "probe",
        Thumbnail = "thumbnail",
        Transcode = "transcode",
        MasterPlaylist = "master_playlist",
        Finalize = "finalize",
    }
}

text_enum! {
    /// State of a job as shown to people: derived from its row and the time, never stored.
    JobState {
        /// Waiting for a worker.
        Unclaimed = "unclaimed",
        /// Held by a worker with a valid lease.
        Claimed = "claimed",
        /// Held by a worker whose lease has expired.
        Expired = "expired",
        Completed = "completed",
        Failed = "failed",
        /// Failed or lost before, and waiting for its retry.
        Retrying = "retrying",
        Cancelled = "cancelled",
    }
}

/// The facts [`JobState`] is derived from.
#[derive(Clone, Copy, Debug)]
pub struct JobFacts {
    pub status: JobStatus,
    pub claim_expires_at: Option<DateTime<Utc>>,
    pub retry_after: Option<DateTime<Utc>>,
    pub has_error: bool,
}

impl JobFacts {
    /// Total, with one answer for every row: `status` decides, the clock only splits `running` and `pending`.
    pub fn state(self, now: DateTime<Utc>) -> JobState {
        match self.status {
            JobStatus::Completed => JobState::Completed,
            JobStatus::Failed => JobState::Failed,
            JobStatus::Cancelled => JobState::Cancelled,
            JobStatus::Running if self.claim_expires_at.is_some_and(|end| end > now) => JobState::Claimed,
            JobStatus::Running => JobState::Expired,
            JobStatus::Pending if self.has_error && self.retry_after.is_some_and(|due| due > now) => {
                JobState::Retrying
            }
            JobStatus::Pending => JobState::Unclaimed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;
    use proptest::prelude::*;

    fn running(claim_expires_at: DateTime<Utc>) -> JobFacts {
        let status = JobStatus::Running;
        JobFacts { status, claim_expires_at: Some(claim_expires_at), retry_after: None, has_error: false }
    }

    #[test]
    fn a_claim_that_ends_now_is_expired() {
        let now = DateTime::UNIX_EPOCH;
        assert_eq!(running(now).state(now), JobState::Expired);
        assert_eq!(running(now + Duration::microseconds(1)).state(now), JobState::Claimed);
    }

    #[test]
    fn a_claim_expires_by_the_clock_alone() {
        let now = DateTime::UNIX_EPOCH;
        let job = running(now + Duration::minutes(30));
        assert_eq!(job.state(now), JobState::Claimed);
        assert_eq!(job.state(now + Duration::minutes(30)), JobState::Expired);
    }

    #[test]
    fn a_retry_becomes_unclaimed_when_it_is_due() {
        let now = DateTime::UNIX_EPOCH;
        let job = JobFacts {
            status: JobStatus::Pending,
            claim_expires_at: None,
            retry_after: Some(now + Duration::seconds(30)),
            has_error: true,
        };
        assert_eq!(job.state(now), JobState::Retrying);
        assert_eq!(job.state(now + Duration::seconds(30)), JobState::Unclaimed);
    }

    proptest! {
        #[test]
        fn the_derived_state_is_total_and_terminal_states_win(
            status in prop::sample::select(JobStatus::ALL),
            expires in prop::option::of(-100i64..100),
            due in prop::option::of(-100i64..100),
            has_error: bool,
        ) {
            let at = |seconds: i64| DateTime::UNIX_EPOCH + Duration::seconds(seconds);
            let facts = JobFacts {
                status, claim_expires_at: expires.map(at), retry_after: due.map(at), has_error,
            };
            let state = facts.state(DateTime::UNIX_EPOCH);
            match status {
                JobStatus::Completed => prop_assert_eq!(state, JobState::Completed),
                JobStatus::Failed => prop_assert_eq!(state, JobState::Failed),
                JobStatus::Cancelled => prop_assert_eq!(state, JobState::Cancelled),
                JobStatus::Running => prop_assert!(matches!(state, JobState::Claimed | JobState::Expired)),
                JobStatus::Pending => prop_assert!(matches!(state, JobState::Unclaimed | JobState::Retrying)),
            }
        }
    }
}
