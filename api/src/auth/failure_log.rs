//! Which failed logins are written down.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::budget::{Budget, Quota};

/// Some 14,000 rows a day at most.
const TOLD: Quota = Quota { at_once: 20, refill: Duration::from_secs(6) };

pub(super) struct FailureLog(Mutex<State>);

struct State {
    budget: Budget,
    untold: u32,
}

impl FailureLog {
    /// Whether this one is told, and how many were not since the last that was.
    pub(super) fn tell(&self, now: Instant) -> Option<u32> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.budget.take(TOLD, now).is_err() {
            state.untold = state.untold.saturating_add(1);
            return None;
        }
        Some(std::mem::take(&mut state.untold))
    }
}

impl Default for FailureLog {
    fn default() -> Self {
        Self(Mutex::new(State { budget: Budget::full(Instant::now()), untold: 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_failures_some_are_told_and_the_others_counted() {
        let log = FailureLog::default();
        let now = Instant::now();
        let told = (0..100).filter_map(|_| log.tell(now)).count();
        assert_eq!(told, 20);
        let later = now + TOLD.refill;
        assert_eq!((log.tell(later), log.tell(later)), (Some(80), None));
    }
}
