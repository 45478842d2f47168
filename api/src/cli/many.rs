//! Changes of many jobs: what was done, and what was left alone and why.

use serde::Deserialize;

use super::exit::{Ended, Exit};
use super::words;

/// The part that every such answer has.
#[derive(Deserialize)]
pub(super) struct LeftAlone {
    skipped: i64,
    reasons: Vec<SkippedFor>,
    skipped_jobs: Vec<SkippedJob>,
}

#[derive(Deserialize)]
struct SkippedFor {
    reason: String,
    count: i64,
}

#[derive(Deserialize)]
struct SkippedJob {
    number: Option<i64>,
    reason: String,
}

impl LeftAlone {
    /// Nothing if every job was changed. Jobs that somebody named are named back.
    pub(super) fn words(&self, are_named: bool) -> Option<String> {
        if self.skipped == 0 {
            return None;
        }
        let why: Vec<String> = if are_named && i64::try_from(self.skipped_jobs.len()) == Ok(self.skipped) {
            let one = |job: &SkippedJob| {
                let name = job.number.map_or_else(|| "a job".to_owned(), |number| format!("job {number}"));
                format!("{name} {}", explained(&job.reason))
            };
            self.skipped_jobs.iter().map(one).collect()
        } else {
            let several = |why: &SkippedFor| format!("{} {}", why.count, explained(&why.reason));
            self.reasons.iter().map(several).collect()
        };
        Some(format!("{} left alone: {}.", words::count(self.skipped, "job"), why.join(", ")))
    }

    /// Refused, if nothing at all was done with jobs that somebody named.
    pub(super) fn refusal(&self, done: i64) -> anyhow::Result<()> {
        match self.words(true) {
            Some(words) if done == 0 => Err(Ended::with(Exit::Refused, words)),
            _ => Ok(()),
        }
    }
}

fn explained(reason: &str) -> String {
    match reason {
        "unknown" => "is not there",
        "not_ended" => "has not failed and was not cancelled",
        "not_pending" => "does not wait",
        "same_work" => "would do what another one does",
        "video_deleted" => "belongs to a deleted video",
        "source_gone" => "belongs to a video whose original was removed",
        other => return other.replace('_', " "),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_alone_is_told_with_its_reason() {
        let left: LeftAlone = serde_json::from_value(serde_json::json!({
            "skipped": 2,
            "reasons": [{ "reason": "not_ended", "count": 2 }],
            "skipped_jobs": [{ "number": 4, "reason": "not_ended" }, { "number": 5, "reason": "not_ended" }],
        }))
        .unwrap();
        assert_eq!(
            left.words(true).unwrap(),
            "2 jobs left alone: job 4 has not failed and was not cancelled, job 5 has not failed and was not cancelled."
        );
        assert!(left.words(false).unwrap().contains("2 has not failed"));
        assert!(left.refusal(0).is_err() && left.refusal(1).is_ok());
    }
}
