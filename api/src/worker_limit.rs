//! Rate limits of one worker for calls that achieve nothing: deliveries that are refused, claims that find no
//! job. They cost as much as calls that succeed; a hostile or broken worker must not slow down others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use framefarm_shared::id::WorkerId;
use tokio::time::sleep;

use crate::budget::{Budget, Quota};
use crate::error::{ApiError, Result};

/// More than a worker delivers at once, so that one whose deliveries are all under way is never held up.
const REFUSED_DELIVERIES: Quota = Quota { at_once: 32, refill: Duration::from_secs(2) };
/// More than a worker has slots, each of which may be waiting for a job.
const EMPTY_CLAIMS: Quota = Quota { at_once: 256, refill: Duration::from_millis(100) };
/// A claim that takes so long waits for a job, and costs little.
pub const A_WAIT: Duration = Duration::from_secs(1);
/// How long a call over the limit waits for its answer: one that asks again at once is slowed down with it.
const PAUSE: Duration = Duration::from_millis(250);
/// Workers that are remembered before those with a full budget are dropped.
const MOST_WORKERS: usize = 1_000;

/// What a worker of this farm may ask for in vain.
#[derive(Debug)]
pub struct WorkerLimits {
    pub refused_deliveries: WorkerLimit,
    pub empty_claims: WorkerLimit,
}

#[derive(Debug)]
pub struct WorkerLimit {
    quota: Quota,
    code: &'static str,
    detail: &'static str,
    budgets: Mutex<HashMap<WorkerId, Budget>>,
}

/// A call that is paid for.
#[derive(Debug)]
pub struct Charge<'a> {
    limit: &'a WorkerLimit,
    worker: WorkerId,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self {
            refused_deliveries: WorkerLimit {
                quota: REFUSED_DELIVERIES,
                code: "too_many_refusals",
                detail: "Too many deliveries of this worker were refused",
                budgets: Mutex::default(),
            },
            empty_claims: WorkerLimit {
                quota: EMPTY_CLAIMS,
                code: "too_many_claims",
                detail: "This worker claims too often; let its claims wait (`wait_seconds`)",
                budgets: Mutex::default(),
            },
        }
    }
}

impl WorkerLimit {
    /// Before the call, so that many at once gain nothing.
    pub async fn charge(&self, worker: WorkerId) -> Result<Charge<'_>> {
        match self.try_charge(worker) {
            Ok(charge) => Ok(charge),
            Err(wait) => {
                sleep(PAUSE.min(wait)).await;
                Err(self.refusal(wait))
            }
        }
    }

    /// Or how long until there is budget again.
    fn try_charge(&self, worker: WorkerId) -> std::result::Result<Charge<'_>, Duration> {
        let now = Instant::now();
        let mut budgets = self.budgets();
        if budgets.len() >= MOST_WORKERS {
            budgets.retain(|_, budget| !budget.is_full(now));
        }
        let budget = budgets.entry(worker).or_insert_with(|| Budget::full(now));
        budget.take(self.quota, now)?;
        Ok(Charge { limit: self, worker })
    }

    fn budgets(&self) -> MutexGuard<'_, HashMap<WorkerId, Budget>> {
        self.budgets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refusal(&self, wait: Duration) -> ApiError {
        let seconds = wait.as_secs() + 1;
        let detail = format!("{}; retry in {seconds} s.", self.detail);
        ApiError::too_many(self.code, detail).retry_after(seconds)
    }
}

impl Charge<'_> {
    /// Gives the price back if the reply `is_free`, or if the call failed through no fault of the worker.
    pub fn settle<T>(self, result: Result<T>, is_free: impl FnOnce(&T) -> bool) -> Result<T> {
        let is_free = result.as_ref().map_or_else(|error| !error.status.is_client_error(), is_free);
        if is_free && let Some(budget) = self.limit.budgets().get_mut(&self.worker) {
            budget.give_back(self.limit.quota);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use framefarm_shared::clock::Clock;

    use super::*;

    async fn deliver(limits: &WorkerLimits, worker: WorkerId, result: Result<()>) -> &'static str {
        let charge = limits.refused_deliveries.charge(worker).await;
        charge
            .and_then(|charge| charge.settle(result, |()| true))
            .map_or_else(|error| error.code, |()| "taken")
    }

    fn bad() -> Result<()> {
        Err(ApiError::unprocessable("bad_part", "Not a part."))
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_whose_deliveries_are_refused_again_and_again_has_to_wait() {
        let clock = Clock::system();
        let (limits, liar, honest) = (WorkerLimits::default(), WorkerId::new(&clock), WorkerId::new(&clock));
        for _ in 0..REFUSED_DELIVERIES.at_once {
            assert_eq!(deliver(&limits, liar, bad()).await, "bad_part");
        }
        assert_eq!(deliver(&limits, liar, Ok(())).await, "too_many_refusals");
        assert_eq!(deliver(&limits, honest, Ok(())).await, "taken", "others do not");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_taken_or_is_not_the_workers_fault_costs_nothing() {
        let (limits, worker) = (WorkerLimits::default(), WorkerId::new(&Clock::system()));
        for _ in 0..3 * REFUSED_DELIVERIES.at_once {
            assert_eq!(deliver(&limits, worker, Ok(())).await, "taken");
            let ours = Err(ApiError::unavailable("storage_unavailable", "Away."));
            assert_eq!(deliver(&limits, worker, ours).await, "storage_unavailable");
        }
    }

    async fn claim(limits: &WorkerLimits, worker: WorkerId, has_job: bool) -> &'static str {
        let charge = limits.empty_claims.charge(worker).await;
        let reply = charge.and_then(|charge| charge.settle(Ok(has_job), |has_job| *has_job));
        reply.map_or_else(|error| error.code, |_| "answered")
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_claims_in_vain_again_and_again_has_to_wait() {
        let clock = Clock::system();
        let (limits, greedy, other) = (WorkerLimits::default(), WorkerId::new(&clock), WorkerId::new(&clock));
        let mut answered = 0;
        while claim(&limits, greedy, false).await == "answered" {
            answered += 1;
            assert!(answered < 10 * EMPTY_CLAIMS.at_once, "nothing stops it");
        }
        assert!(answered >= EMPTY_CLAIMS.at_once, "{answered}");
        assert_eq!(claim(&limits, greedy, true).await, "too_many_claims");
        assert_eq!(claim(&limits, other, false).await, "answered", "others do not");
    }

    #[tokio::test(start_paused = true)]
    async fn claims_that_find_a_job_are_never_too_many() {
        let (limits, worker) = (WorkerLimits::default(), WorkerId::new(&Clock::system()));
        for _ in 0..3 * EMPTY_CLAIMS.at_once {
            assert_eq!(claim(&limits, worker, true).await, "answered");
        }
    }
}
