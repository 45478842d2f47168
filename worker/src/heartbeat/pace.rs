//! How often to beat, and how long to wait for an answer.

use std::time::Duration;

use crate::client::CALL_TIMEOUT;

const SHORTEST: Duration = Duration::from_millis(100);
/// So many failures in a row are followed by a quick try, then the usual pace returns.
const QUICK_TRIES: u32 = 2;

#[derive(Debug)]
pub(super) struct Pace {
    every: Duration,
    failures: u32,
}

impl Pace {
    pub(super) fn new(every: Duration) -> Self {
        Self { every, failures: 0 }
    }

    pub(super) fn heard(&mut self, heartbeat_seconds: u64) {
        self.failures = 0;
        if heartbeat_seconds > 0 {
            self.every = Duration::from_secs(heartbeat_seconds);
        }
    }

    pub(super) fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
    }

    /// A third of the shortest lease leaves two more chances.
    pub(super) fn pause(&self, shortest_lease: Option<Duration>) -> Duration {
        let usual = shortest_lease.map_or(self.every, |lease| self.every.min(lease / 3)).max(SHORTEST);
        if (1..=QUICK_TRIES).contains(&self.failures) {
            return usual.min(Duration::from_secs_f64(rand::random_range(1.0..2.0)));
        }
        usual
    }

    pub(super) fn timeout(shortest_lease: Option<Duration>) -> Duration {
        shortest_lease.map_or(CALL_TIMEOUT, |lease| (lease / 6).clamp(SHORTEST, CALL_TIMEOUT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn a_short_lease_quickens_the_pace_and_shortens_the_patience() {
        let pace = Pace::new(MINUTE);
        assert_eq!(pace.pause(None), MINUTE);
        assert_eq!(pace.pause(Some(MINUTE)), MINUTE / 3);
        assert_eq!(Pace::timeout(Some(MINUTE)), MINUTE / 6);
    }

    #[test]
    fn two_failures_are_followed_by_quick_tries() {
        let mut pace = Pace::new(MINUTE);
        for _ in 0..QUICK_TRIES {
            pace.failed();
            assert!(pace.pause(None) <= Duration::from_secs(2));
        }
        pace.failed();
        assert_eq!(pace.pause(None), MINUTE);
    }
}
