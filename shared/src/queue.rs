//! Types of jobs and their rules.

use crate::text_enum::text_enum;

text_enum! {
    /// A kind of job. The set is closed; every queue operation works on a new one unchanged. `docs/development.md` lists
    /// what it needs besides its line here.
    QueueType {
        /// Encode a video into its HLS ladder.
        Transcode = "transcode",
        /// Create the poster and storyboard again.
        Preview = "preview",
        /// Extract or create text tracks.
        Captions = "captions",
    }
}

impl QueueType {
    /// Whether this kind of job produces a generation of its video (and so moves the video's status).
    pub const fn makes_generation(self) -> bool {
        matches!(self, Self::Transcode)
    }
}

text_enum! {
    /// What happens after a transient failure.
    RetryMode {
        /// It is retried with backoff until the retries are exhausted.
        Auto = "auto",
        /// Every failure waits for a person.
        Manual = "manual",
    }
}

text_enum! {
    /// Queue position of a job that was recovered from a lost worker.
    RedeliveryPosition {
        /// Its old place.
        Original = "original",
        /// Ahead of all jobs of its priority.
        Front = "front",
        /// Behind all jobs of its priority.
        Back = "back",
    }
}

text_enum! {
    /// Why a bulk change skipped a job.
    SkipReason {
        /// There is no such job.
        Unknown = "unknown",
        /// It is waiting, running or completed; only failed and cancelled jobs can be requeued.
        NotEnded = "not_ended",
        /// It is running or finished; only waiting jobs can change priority.
        NotPending = "not_pending",
        /// Another job does the same work, or a newer one is requeued instead.
        SameWork = "same_work",
        VideoDeleted = "video_deleted",
        /// The original of its video was removed by the retention policy.
        SourceGone = "source_gone",
    }
}

text_enum! {
    /// The likely reason why a job has been running for long.
    StuckReason {
        /// Its worker is offline, disabled or deleted.
        WorkerGone = "worker_gone",
        /// Its lease was not renewed.
        LeaseExpired = "lease_expired",
        /// Its worker is online, but there is no progress.
        NoProgress = "no_progress",
        /// There is progress.
        Slow = "slow",
    }
}

text_enum! {
    /// Names for priorities; stored as numbers, larger is more important.
    PriorityName {
        High = "high",
        Normal = "normal",
        Low = "low",
    }
}

impl PriorityName {
    pub const fn value(self) -> i32 {
        match self {
            Self::High => 100,
            Self::Normal => 0,
            Self::Low => -100,
        }
    }
}

/// Reads a priority given as a name or as a number.
pub fn parse_priority(text: &str) -> Result<i32, String> {
    if let Ok(name) = text.parse::<PriorityName>() {
        return Ok(name.value());
    }
    match text.parse::<i32>() {
        Ok(number) if (-1000..=1000).contains(&number) => Ok(number),
        _ => Err(format!("priority `{text}` is not high, normal, low or a number from -1000 to 1000")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_names_or_numbers() {
        assert_eq!(parse_priority("high"), Ok(100));
        assert_eq!(parse_priority("-7"), Ok(-7));
        assert!(parse_priority("1001").is_err());
        assert!(parse_priority("urgent").unwrap_err().contains("urgent"));
    }

    #[test]
    fn an_unknown_queue_type_names_the_known_ones() {
        assert_eq!(
            "foo".parse::<QueueType>().unwrap_err(),
            "`foo` is not one of transcode, preview, captions"
        );
    }
}
