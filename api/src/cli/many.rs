//! Changes of many jobs: how many were skipped, and why.

use serde::Deserialize;

use super::exit::{Ended, Exit};
use super::format;

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
                format!("{name} ({})", explained(&job.reason))
            };
            self.skipped_jobs.iter().map(one).collect()
        } else {
            let several = |why: &SkippedFor| format!("{} {}", why.count, explained(&why.reason));
            self.reasons.iter().map(several).collect()
        };
        Some(format!("Skipped {}: {}.", format::count(self.skipped, "job"), why.join(", ")))
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
        "unknown" => "not found",
        "not_ended" => "not failed or cancelled",
        "not_pending" => "not waiting",
        "same_work" => "same work as another job",
        "video_deleted" => "video deleted",
        "source_gone" => "original of the video deleted",
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
            "Skipped 2 jobs: job 4 (not failed or cancelled), job 5 (not failed or cancelled)."
        );
        assert!(left.words(false).unwrap().contains("2 not failed or cancelled"));
        assert!(left.refusal(0).is_err() && left.refusal(1).is_ok());
    }
}
