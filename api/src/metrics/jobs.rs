//! Jobs on their way through the queue, attempts and leases.

use chrono::Duration;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::worker_api::RefusalCode;
use prometheus::{HistogramVec, IntCounterVec, Result};

use super::make::Maker;
use crate::db::effects::{JobChange, Renewal};
use crate::db::job::loss::Loss;

/// From a preview to a video.
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
                "Total number of jobs that entered the queue: new, re-transcoded, manually requeued and imported jobs.",
                &["queue_type", "reason"],
            )?,
            claimed: make.counters(
                "framefarm_jobs_claimed_total",
                "Total number of claims granted.",
                &["queue_type"],
            )?,
            waited: make.histograms(
                "framefarm_job_wait_duration_seconds",
                "Time from when a job became claimable until it was claimed.",
                &WAIT,
                &["queue_type"],
            )?,
            finished: make.counters(
                "framefarm_jobs_finished_total",
                "Total number of finished jobs by final status.",
                &["queue_type", "status"],
            )?,
            attempts: make.histograms(
                "framefarm_attempt_duration_seconds",
                "Duration of attempts, from claim to end, by outcome.",
                &ATTEMPT,
                &["queue_type", "outcome"],
            )?,
            failures: make.counters(
                "framefarm_attempt_failures_total",
                "Total number of failed attempts by error class, whether or not they are retried.",
                &["queue_type", "class"],
            )?,
            recovered: make.counters(
                "framefarm_stale_jobs_recovered_total",
                "Total number of jobs recovered from workers, by reason. The reasons have different meanings: do not add them up.",
                &["reason"],
            )?,
            exhausted: make.counters(
                "framefarm_max_retries_exceeded_total",
                "Total number of jobs that failed permanently because a retry budget was exhausted: failures or lost workers.",
                &["queue_type", "budget"],
            )?,
            renewals: make.counters(
                "framefarm_lease_renewals_total",
                "Total number of lease renewals, by the call that renewed the lease.",
                &["call"],
            )?,
            losses: make.counters(
                "framefarm_lease_losses_total",
                "Total number of worker calls rejected because the worker no longer holds the job, by error code.",
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

    pub(super) fn record(&self, change: &JobChange) {
        match *change {
            JobChange::Enqueued { queue, reason } => {
                self.enqueued.with_label_values(&[queue.as_str(), reason]).inc();
            }
            JobChange::Claimed { queue, waited } => {
                self.claimed.with_label_values(&[queue.as_str()]).inc();
                if let Some(waited) = waited {
                    self.waited.with_label_values(&[queue.as_str()]).observe(seconds(waited));
                }
            }
            JobChange::Left { queue, status, outcome, lasted, class, loss, used_up } => {
                let queue = queue.as_str();
                if let Some(lasted) = lasted {
                    self.attempts.with_label_values(&[queue, outcome.as_str()]).observe(seconds(lasted));
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
            JobChange::Cancelled { queue } => {
                let cancelled = JobStatus::Cancelled.as_str();
                self.finished.with_label_values(&[queue.as_str(), cancelled]).inc();
            }
            JobChange::Renewed { by, count } => {
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
