//! Jobs on their way through the queue, attempts and leases.

use chrono::Duration;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::worker_api::RefusalCode;
use prometheus::{HistogramVec, IntCounterVec, Result};

use super::happening::{Happening, Renewal};
use super::loss::Loss;
use super::make::Maker;

/// From a preview to a film.
const ATTEMPT: [f64; 13] =
    [1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 2400.0, 3600.0, 7200.0, 21600.0];
const WAIT: [f64; 11] = [0.05, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0, 86400.0];

#[derive(Debug)]
pub struct Jobs {
    enqueued: IntCounterVec,
    claimed: IntCounterVec,
    waited: HistogramVec,
    finished: IntCounterVec,
    attempts: HistogramVec,
    failures: IntCounterVec,
    recovered: IntCounterVec,
    exhausted: IntCounterVec,
    renewals: IntCounterVec,
    losses: IntCounterVec,
}

impl Jobs {
    pub(super) fn new(make: &Maker) -> Result<Self> {
        let jobs = Self {
            enqueued: make.counters(
                "framefarm_jobs_enqueued_total",
                "Jobs that entered the queue: new ones, re-transcodes, ended ones that a person put back, and imported ones.",
                &["queue_type", "reason"],
            )?,
            claimed: make.counters(
                "framefarm_jobs_claimed_total",
                "Claims that were granted.",
                &["queue_type"],
            )?,
            waited: make.histograms(
                "framefarm_job_wait_duration_seconds",
                "From the moment a job could be claimed to its claim.",
                &WAIT,
                &["queue_type"],
            )?,
            finished: make.counters(
                "framefarm_jobs_finished_total",
                "Jobs that ended, by how.",
                &["queue_type", "status"],
            )?,
            attempts: make.histograms(
                "framefarm_attempt_duration_seconds",
                "From a claim to the end of that attempt, by its outcome.",
                &ATTEMPT,
                &["queue_type", "outcome"],
            )?,
            failures: make.counters(
                "framefarm_attempt_failures_total",
                "Attempts that failed, by the class of the failure, whether they are tried again or not.",
                &["queue_type", "class"],
            )?,
            recovered: make.counters(
                "framefarm_stale_jobs_recovered_total",
                "Jobs taken back from workers, by the evidence. The reasons mean different things: do not add them up.",
                &["reason"],
            )?,
            exhausted: make.counters(
                "framefarm_max_retries_exceeded_total",
                "Jobs that failed for good because a budget was used up: of failures, or of lost workers.",
                &["queue_type", "budget"],
            )?,
            renewals: make.counters(
                "framefarm_lease_renewals_total",
                "Leases renewed, by the call that did it.",
                &["call"],
            )?,
            losses: make.counters(
                "framefarm_lease_losses_total",
                "Times a worker was told that it does not hold a job any more, by the code it was told.",
                &["code"],
            )?,
        };
        jobs.begin_at_zero();
        Ok(jobs)
    }

    /// A series that appears with its first event has no increase to show for it.
    fn begin_at_zero(&self) {
        for queue in QueueType::ALL.iter().map(|queue| queue.as_str()) {
            for reason in ["new", "retranscode", "requeued", "imported"] {
                self.enqueued.with_label_values(&[queue, reason]);
            }
            self.claimed.with_label_values(&[queue]);
            for status in [JobStatus::Completed, JobStatus::Failed, JobStatus::Cancelled] {
                self.finished.with_label_values(&[queue, status.as_str()]);
            }
            for class in ErrorClass::ALL {
                self.failures.with_label_values(&[queue, class.as_str()]);
            }
            for budget in ["failures", "losses"] {
                self.exhausted.with_label_values(&[queue, budget]);
            }
        }
        for loss in Loss::ALL {
            self.recovered.with_label_values(&[loss.as_str()]);
        }
        for renewal in Renewal::ALL {
            self.renewals.with_label_values(&[renewal.as_str()]);
        }
        for code in [RefusalCode::ClaimExpired, RefusalCode::ClaimLost, RefusalCode::Fenced] {
            self.losses.with_label_values(&[code.as_str()]);
        }
    }

    pub(super) fn happened(&self, happening: &Happening) {
        match *happening {
            Happening::Enqueued { queue, reason } => {
                self.enqueued.with_label_values(&[queue.as_str(), reason]).inc();
            }
            Happening::Claimed { queue, waited } => {
                self.claimed.with_label_values(&[queue.as_str()]).inc();
                if let Some(waited) = waited {
                    self.waited.with_label_values(&[queue.as_str()]).observe(seconds(waited));
                }
            }
            Happening::Left { queue, status, outcome, lasted, class, loss, used_up } => {
                let queue = queue.as_str();
                if let Some(lasted) = lasted {
                    self.attempts.with_label_values(&[queue, outcome]).observe(seconds(lasted));
                }
                if let Some(class) = class {
                    self.failures.with_label_values(&[queue, class.as_str()]).inc();
                }
                if let Some(loss) = loss {
                    self.recovered.with_label_values(&[loss.as_str()]).inc();
                }
                if let Some(budget) = used_up {
                    self.exhausted.with_label_values(&[queue, budget]).inc();
                }
                if status != JobStatus::Pending {
                    self.finished.with_label_values(&[queue, status.as_str()]).inc();
                }
            }
            Happening::Cancelled { queue } => {
                let cancelled = JobStatus::Cancelled.as_str();
                self.finished.with_label_values(&[queue.as_str(), cancelled]).inc();
            }
            Happening::Renewed { by, count } => {
                self.renewals.with_label_values(&[by.as_str()]).inc_by(count);
            }
        }
    }

    /// A worker hears that a job is not its own any more; a stranger to the job is nobody's loss.
    pub fn told_of_loss(&self, code: RefusalCode) {
        if matches!(code, RefusalCode::ClaimExpired | RefusalCode::ClaimLost | RefusalCode::Fenced) {
            self.losses.with_label_values(&[code.as_str()]).inc();
        }
    }
}

fn seconds(span: Duration) -> f64 {
    span.to_std().unwrap_or_default().as_secs_f64()
}
