//! How often the deliveries of one worker may be refused. Finding out that a part is no good costs as much as taking it: a worker
//! that lies, or is broken, must not take that time from others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use framefarm_shared::id::WorkerId;

use crate::budget::{Budget, Quota};
use crate::error::{ApiError, Result};

/// More than a worker delivers at once, so that one whose deliveries are all under way is never held up.
const REFUSALS: Quota = Quota { at_once: 32, refill: Duration::from_secs(2) };
/// Workers that are remembered before those with a full budget are dropped.
const MOST_WORKERS: usize = 1_000;

#[derive(Debug, Default)]
pub struct RefusalLimit {
    budgets: Mutex<HashMap<WorkerId, Budget>>,
}

impl RefusalLimit {
    /// Takes a delivery. It is paid for before it is looked at, so that many at once gain nothing; one that is not the
    /// worker's fault gets its price back.
    pub async fn take<T>(&self, worker: WorkerId, delivery: impl Future<Output = Result<T>>) -> Result<T> {
        self.pay(worker, Instant::now())?;
        let result = delivery.await;
        if !result.as_ref().is_err_and(|error| error.status.is_client_error())
            && let Some(budget) = self.budgets().get_mut(&worker)
        {
            budget.give_back(REFUSALS);
        }
        result
    }

    fn pay(&self, worker: WorkerId, now: Instant) -> Result<()> {
        let mut budgets = self.budgets();
        if budgets.len() >= MOST_WORKERS {
            budgets.retain(|_, budget| !budget.is_full(now));
        }
        let budget = budgets.entry(worker).or_insert_with(|| Budget::full(now));
        budget.take(REFUSALS, now).map_err(refusal)
    }

    fn budgets(&self) -> MutexGuard<'_, HashMap<WorkerId, Budget>> {
        self.budgets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refusal(wait: Duration) -> ApiError {
    let seconds = wait.as_secs() + 1;
    let detail = format!("Too many deliveries of this worker were refused; try again in {seconds} s.");
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_refusals", detail)
        .header(RETRY_AFTER, HeaderValue::from(seconds))
}

#[cfg(test)]
mod tests {
    use framefarm_shared::clock::Clock;

    use super::*;

    async fn deliver(limit: &RefusalLimit, worker: WorkerId, result: Result<()>) -> &'static str {
        limit.take(worker, async { result }).await.map_or_else(|error| error.code, |()| "taken")
    }

    fn bad() -> Result<()> {
        Err(ApiError::unprocessable("bad_part", "Not a part."))
    }

    #[tokio::test]
    async fn a_worker_whose_deliveries_are_refused_again_and_again_has_to_wait() {
        let clock = Clock::system();
        let (limit, liar, honest) = (RefusalLimit::default(), WorkerId::new(&clock), WorkerId::new(&clock));
        for _ in 0..REFUSALS.at_once {
            assert_eq!(deliver(&limit, liar, bad()).await, "bad_part");
        }
        assert_eq!(deliver(&limit, liar, Ok(())).await, "too_many_refusals");
        assert_eq!(deliver(&limit, honest, Ok(())).await, "taken", "others do not");
    }

    #[tokio::test]
    async fn what_is_taken_or_is_not_the_workers_fault_costs_nothing() {
        let (limit, worker) = (RefusalLimit::default(), WorkerId::new(&Clock::system()));
        for _ in 0..3 * REFUSALS.at_once {
            assert_eq!(deliver(&limit, worker, Ok(())).await, "taken");
            let ours = Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "storage_unavailable", "Away."));
            assert_eq!(deliver(&limit, worker, ours).await, "storage_unavailable");
        }
    }
}
