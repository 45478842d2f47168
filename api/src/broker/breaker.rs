//! The circuit breaker: does not use a failing Redis, and probes it with one call at a time.

use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row that open the breaker.
const FAILURES: u32 = 3;
/// The pause doubles with each failed try, up to this many times the first.
const LONGEST: u32 = 10;
/// A try that was allowed and never ended (its task was dropped) blocks others for this long.
const TRY_LASTS: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permit {
    Yes,
    No,
}

/// Whether calls get through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    Closed,
    Open,
    /// One call tries.
    HalfOpen,
}

impl BreakerState {
    pub const ALL: [Self; 3] = [Self::Closed, Self::Open, Self::HalfOpen];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

#[derive(Debug)]
pub(super) struct Breaker {
    first_pause: Duration,
    state: State,
}

#[derive(Debug)]
enum State {
    Closed {
        failures: u32,
    },
    /// `tries` failed since it opened.
    Open {
        tries: u32,
        until: Instant,
    },
    /// One call tries it.
    HalfOpen {
        tries: u32,
        since: Instant,
    },
}

impl Breaker {
    pub(super) fn new(first_pause: Duration) -> Self {
        Self { first_pause, state: State::Closed { failures: 0 } }
    }

    pub(super) fn permit(&mut self, now: Instant) -> Permit {
        let tries = match self.state {
            State::Closed { .. } => return Permit::Yes,
            State::Open { tries, until } if now >= until => tries,
            State::HalfOpen { tries, since } if now >= since + TRY_LASTS => tries,
            State::Open { .. } | State::HalfOpen { .. } => return Permit::No,
        };
        self.state = State::HalfOpen { tries, since: now };
        Permit::Yes
    }

    /// The pause, if this failure begins one. `jitter` keeps instances from coming back all at once.
    pub(super) fn failed(&mut self, now: Instant, jitter: f64) -> Option<Duration> {
        let tries = match &mut self.state {
            State::Closed { failures } => {
                *failures += 1;
                if *failures < FAILURES {
                    return None;
                }
                0
            }
            State::HalfOpen { tries, .. } => *tries + 1,
            // A call that began before it opened.
            State::Open { .. } => return None,
        };
        let factor = 2_u32.checked_pow(tries).map_or(LONGEST, |factor| factor.min(LONGEST));
        let pause = (self.first_pause * factor).mul_f64(jitter);
        self.state = State::Open { tries, until: now + pause };
        Some(pause)
    }

    /// Whether it was open until now.
    pub(super) fn succeeded(&mut self) -> bool {
        let was_open = !self.is_closed();
        self.state = State::Closed { failures: 0 };
        was_open
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    pub(super) fn state(&self) -> BreakerState {
        match self.state {
            State::Closed { .. } => BreakerState::Closed,
            State::Open { .. } => BreakerState::Open,
            State::HalfOpen { .. } => BreakerState::HalfOpen,
        }
    }

    pub(super) fn pause(&self, now: Instant) -> Duration {
        match self.state {
            State::Closed { .. } => Duration::ZERO,
            State::Open { until, .. } => until.saturating_duration_since(now),
            State::HalfOpen { since, .. } => (since + TRY_LASTS).saturating_duration_since(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(30);

    fn opened(now: Instant) -> Breaker {
        let mut breaker = Breaker::new(PAUSE);
        assert_eq!(breaker.failed(now, 1.0), None);
        assert_eq!(breaker.failed(now, 1.0), None);
        assert_eq!(breaker.failed(now, 1.0), Some(PAUSE));
        breaker
    }

    #[test]
    fn three_failures_in_a_row_open_it_and_a_success_between_them_does_not() {
        let now = Instant::now();
        let mut breaker = Breaker::new(PAUSE);
        for _ in 0..10 {
            assert_eq!((breaker.failed(now, 1.0), breaker.failed(now, 1.0)), (None, None));
            breaker.succeeded();
        }
        assert_eq!(opened(now).permit(now), Permit::No);
    }

    #[test]
    fn after_the_pause_one_call_tries_and_the_others_wait_for_it() {
        let now = Instant::now();
        let mut breaker = opened(now);
        assert_eq!(breaker.permit(now + PAUSE - Duration::from_millis(1)), Permit::No);
        assert_eq!(breaker.permit(now + PAUSE), Permit::Yes);
        assert_eq!(breaker.permit(now + PAUSE), Permit::No);
        assert!(breaker.succeeded());
        assert_eq!(breaker.permit(now + PAUSE), Permit::Yes);
    }

    #[test]
    fn pauses_double_up_to_ten_times_the_first_and_start_over_after_a_success() {
        let mut now = Instant::now();
        let mut breaker = opened(now);
        let mut pauses = Vec::new();
        for _ in 0..40 {
            now += breaker.pause(now);
            assert_eq!(breaker.permit(now), Permit::Yes);
            pauses.extend(breaker.failed(now, 1.0));
        }
        let seconds: Vec<u64> = pauses.iter().map(Duration::as_secs).collect();
        assert_eq!(seconds[..4], [60, 120, 240, 300]);
        assert!(seconds[4..].iter().all(|pause| *pause == 300));
        breaker.succeeded();
        assert_eq!(opened(now).pause(now), PAUSE);
    }

    #[test]
    fn a_try_that_never_ended_does_not_block_for_ever() {
        let now = Instant::now();
        let mut breaker = opened(now);
        assert_eq!(breaker.permit(now + PAUSE), Permit::Yes);
        assert_eq!(breaker.permit(now + PAUSE + TRY_LASTS), Permit::Yes);
    }

    #[test]
    fn the_pause_is_spread_by_a_fifth() {
        let now = Instant::now();
        let mut breaker = Breaker::new(PAUSE);
        let pauses: Vec<_> = (0..3).filter_map(|_| breaker.failed(now, 1.2)).collect();
        assert_eq!(pauses, [Duration::from_secs(36)]);
    }
}
