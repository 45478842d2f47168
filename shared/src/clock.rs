//! Where the time comes from.
//!
//! Time is an input everywhere: code takes a [`Clock`] and never asks the system. It is cut to whole
//! microseconds because PostgreSQL keeps no more, and an uncut time would not compare equal after a round trip.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use chrono::{DateTime, Utc};

/// The farm's clock: it follows the monotonic clock of the machine, so that a jump of the wall clock neither
/// ends nor prolongs a lease, and is steered gently towards a reference (the database's clock, or the wall clock).
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
enum Source {
    Steady { started: Instant, started_us: i64, correction_us: AtomicI64 },
    Manual { now_us: AtomicI64 },
}

impl Clock {
    pub fn system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the system's clock")]
        let started_us = Utc::now().timestamp_micros();
        Self(Arc::new(Source::Steady {
            started: Instant::now(),
            started_us,
            correction_us: AtomicI64::new(0),
        }))
    }

    /// A clock that stands still until it is moved; for tests.
    pub fn manual(start: DateTime<Utc>) -> Self {
        Self(Arc::new(Source::Manual { now_us: AtomicI64::new(start.timestamp_micros()) }))
    }

    pub fn now(&self) -> DateTime<Utc> {
        let us = match &*self.0 {
            Source::Steady { started, started_us, correction_us } => {
                let elapsed = i64::try_from(started.elapsed().as_micros()).unwrap_or(i64::MAX);
                started_us.saturating_add(elapsed).saturating_add(correction_us.load(Ordering::Relaxed))
            }
            Source::Manual { now_us } => now_us.load(Ordering::SeqCst),
        };
        DateTime::from_timestamp_micros(us).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Moves a steady clock towards `reference`, by at most `limit` in one call.
    pub fn steer(&self, reference: DateTime<Utc>, limit: chrono::Duration) {
        if let Source::Steady { correction_us, .. } = &*self.0 {
            let off = self.behind(reference).clamp(-limit, limit);
            correction_us.fetch_add(off.num_microseconds().unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// Sets a steady clock to `reference` at once.
    pub fn set(&self, reference: DateTime<Utc>) {
        self.steer(reference, chrono::Duration::MAX);
    }

    /// How far a steady clock is behind `reference`; a manual one is never wrong.
    pub fn behind(&self, reference: DateTime<Utc>) -> chrono::Duration {
        match &*self.0 {
            Source::Steady { .. } => reference - self.now(),
            Source::Manual { .. } => chrono::Duration::zero(),
        }
    }

    /// Moves a manual clock; a steady one takes no notice.
    pub fn advance(&self, by: chrono::Duration) {
        if let Source::Manual { now_us } = &*self.0 {
            now_us.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

/// The wall clock of this machine, for steering a [`Clock`] and nothing else.
pub fn wall_clock() -> DateTime<Utc> {
    #[expect(clippy::disallowed_methods, reason = "a reference to steer the farm's clock by")]
    let now = Utc::now();
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;

    #[test]
    fn a_manual_clock_stands_still_until_moved() {
        let clock = Clock::manual(DateTime::UNIX_EPOCH);
        assert_eq!(clock.now(), clock.now());
        clock.advance(Duration::milliseconds(1500));
        assert_eq!(clock.now(), DateTime::UNIX_EPOCH + Duration::milliseconds(1500));
    }

    #[test]
    fn time_is_cut_to_microseconds() {
        let now = Clock::system().now();
        assert_eq!(now.timestamp_subsec_nanos() % 1000, 0);
    }

    #[test]
    fn a_clock_that_is_set_is_right_at_once() {
        let clock = Clock::system();
        let reference = clock.now() - Duration::hours(3);
        clock.set(reference);
        assert!(clock.behind(reference).abs() < Duration::seconds(5));
    }

    #[test]
    fn a_wall_clock_jump_is_followed_only_gently() {
        let clock = Clock::system();
        let before = clock.now();
        clock.steer(before + Duration::minutes(10), Duration::seconds(1));
        let moved = clock.now() - before;
        assert!(moved >= Duration::milliseconds(999) && moved < Duration::seconds(5), "moved {moved}");
    }
}
