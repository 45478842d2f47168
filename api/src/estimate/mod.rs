//! When a job will be done, its position in the queue, and why it is waiting.
//!
//! Everything follows from what was measured: the pace of finished jobs by worker and quality, and what running jobs
//! tell of themselves. An estimate is a range; without a measurement there is none.

mod outlook;
mod pace;
mod schedule;

pub use outlook::{Outlook, Waiting, WaitingFor, slots};
pub use pace::Paces;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An estimate of the time until a job is done, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Eta {
    pub seconds: f64,
    pub low_seconds: f64,
    pub high_seconds: f64,
    /// Until a waiting job is claimed.
    pub starts_in_seconds: Option<f64>,
    /// When this was estimated.
    pub at: DateTime<Utc>,
}

/// A time that is known only so well.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    pub low: f64,
    pub likely: f64,
    pub high: f64,
}

impl Span {
    fn around(likely: f64, deviation: f64) -> Self {
        Self { low: (likely - deviation).max(0.0), likely, high: likely + deviation }
    }

    fn eta(self, starts_in_seconds: Option<f64>, at: DateTime<Utc>) -> Eta {
        let Self { low, likely, high } = self;
        Eta { seconds: likely, low_seconds: low, high_seconds: high, starts_in_seconds, at }
    }
}

/// What is left of a running job. The worker goes by its latest speed, the share that is done by the whole run; the
/// truth is somewhere between them, or a little outside.
pub fn remaining(told: Option<f64>, percent: f64, elapsed: f64) -> Option<Span> {
    const MARGIN: f64 = 0.1;
    let by_share = (percent >= 1.0).then(|| elapsed * (100.0 - percent) / percent);
    let (one, other) = (told.or(by_share)?, by_share.or(told)?);
    let likely = told.unwrap_or(one);
    Some(Span { low: one.min(other) * (1.0 - MARGIN), likely, high: one.max(other) * (1.0 + MARGIN) + 1.0 })
}

/// Of a job that runs since `started`.
pub fn running_eta(
    told: Option<f64>,
    percent: f64,
    started: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Option<Eta> {
    remaining(told, percent, seconds(now - started)).map(|span| span.eta(None, now))
}

fn seconds(span: chrono::Duration) -> f64 {
    span.as_seconds_f64().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_job_lies_between_what_its_worker_says_and_what_it_has_done() {
        let span = remaining(Some(60.0), 50.0, 100.0).unwrap();
        assert!((span.likely - 60.0).abs() < 1e-9);
        assert!(span.low < 60.0 && span.high > 100.0, "{span:?}");
    }

    #[test]
    fn nothing_is_estimated_from_nothing() {
        assert_eq!(remaining(None, 0.0, 30.0), None);
        assert!(remaining(None, 10.0, 30.0).is_some_and(|span| (span.likely - 270.0).abs() < 1e-9));
    }
}
