//! Tries that come back with time: so many at once, then one each `refill`.

use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    pub(crate) at_once: u32,
    pub(crate) refill: Duration,
}

/// How much of a quota is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    full_at: Instant,
}

impl Budget {
    pub(crate) fn full(now: Instant) -> Self {
        Self { full_at: now }
    }

    pub(crate) fn is_full(self, now: Instant) -> bool {
        self.full_at <= now
    }

    /// One try, or how long until there is one.
    pub(crate) fn take(&mut self, quota: Quota, now: Instant) -> Result<(), Duration> {
        let full_at = self.full_at.max(now) + quota.refill;
        let latest = now + quota.refill * quota.at_once;
        if full_at > latest {
            return Err(full_at - latest);
        }
        self.full_at = full_at;
        Ok(())
    }

    pub(crate) fn give_back(&mut self, quota: Quota) {
        self.full_at -= quota.refill;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTA: Quota = Quota { at_once: 3, refill: Duration::from_secs(6) };

    #[test]
    fn tries_come_back_one_by_one() {
        let began = Instant::now();
        let mut budget = Budget::full(began);
        let mut taken = |seconds| {
            let now = began + Duration::from_secs(seconds);
            (0..10).filter(|_| budget.take(QUOTA, now).is_ok()).count()
        };
        assert_eq!([taken(0), taken(5), taken(6), taken(18), taken(3600)], [3, 0, 1, 2, 3]);
    }

    #[test]
    fn who_has_to_wait_is_told_how_long() {
        let began = Instant::now();
        let mut budget = Budget::full(began);
        while budget.take(QUOTA, began).is_ok() {}
        assert_eq!(budget.take(QUOTA, began + Duration::from_secs(2)), Err(Duration::from_secs(4)));
        assert!(!budget.is_full(began + Duration::from_secs(17)));
        assert!(budget.is_full(began + Duration::from_secs(18)));
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let now = Instant::now();
        let mut budget = Budget::full(now);
        for _ in 0..100 {
            budget.take(QUOTA, now).unwrap();
            budget.give_back(QUOTA);
        }
        assert!(budget.is_full(now));
    }
}
